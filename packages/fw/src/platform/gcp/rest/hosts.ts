/** The network target of requests to a host. */
export interface Target {
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  /** "" for the protocol's default. */
  readonly port: string;
  /** A prefix for every path, without a trailing slash; usually "". */
  readonly prefix: string;
  /** The Host header, which a redirect by `FW_CLOUD_HOSTS` does not change. */
  readonly host: string;
}

export type Hosts = (url: URL) => Target;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads `FW_CLOUD_HOSTS`: JSON that maps hosts or `*.suffix` patterns to base URLs. Throws if it is invalid, or set on
 * Cloud Run, where it could replace the keys that verify tokens.
 */
export function readHosts(env: Environment): Hosts {
  const text = env["FW_CLOUD_HOSTS"];
  if (text === undefined || text === "") return targetOf;
  if (isOnCloudRun(env))
    throw new Error(
      "FW_CLOUD_HOSTS is for emulators only: on Cloud Run it would replace the keys that verify tokens; remove it from the service",
    );
  const rows = readRows(text);
  return (url) => {
    const base = baseOf(rows, url.hostname);
    return base === undefined ? targetOf(url) : { ...targetOf(base), host: url.host };
  };
}

/**
 * True on Cloud Run, which sets the name of the service or job in the environment. A rehearsal sets it, too, but uses a
 * metadata server on this machine, with which a service on Cloud Run would not start.
 */
function isOnCloudRun(env: Environment): boolean {
  const isNamed = [env["K_SERVICE"], env["CLOUD_RUN_JOB"]].some((name) => name !== undefined && name !== "");
  return isNamed && !/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(env["GCE_METADATA_HOST"] ?? "");
}

export function targetOf({ protocol, hostname, port, host, pathname, href }: URL): Target {
  if (protocol !== "http:" && protocol !== "https:") throw new Error(`${href} is not an http or https URL`);
  return {
    protocol,
    hostname: hostname.replaceAll(/^\[|\]$/g, ""),
    port,
    host,
    prefix: pathname.replace(/\/$/, ""),
  };
}

function readRows(text: string): ReadonlyMap<string, URL> {
  try {
    const rows = Object.entries(JSON.parse(text) as Record<string, string>);
    return new Map(rows.map(([host, base]) => [host.toLowerCase(), new URL(base)]));
  } catch (cause) {
    const example = '{"*.example.com": "http://127.0.0.1:8090"}';
    throw new Error(`FW_CLOUD_HOSTS must be a JSON object of hosts and base URLs, such as ${example}, not ${text}`, {
      cause,
    });
  }
}

/** Returns the host's own entry, or else the entry for its longest suffix. */
function baseOf(rows: ReadonlyMap<string, URL>, hostname: string): URL | undefined {
  const labels = hostname.split(".");
  const names = labels.map((_, i) => (i === 0 ? hostname : `*.${labels.slice(i).join(".")}`));
  return names.map((name) => rows.get(name)).find((base) => base !== undefined);
}
