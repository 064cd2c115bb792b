/** Where requests to a host go. */
export interface Target {
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  /** "" is the protocol's own. */
  readonly port: string;
  /** What stands before each path, without a slash at its end; mostly "". */
  readonly prefix: string;
  /** The Host header, also where the requests go elsewhere. */
  readonly host: string;
}

/** Finds where requests to a URL go. */
export type Hosts = (url: URL) => Target;

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads `FW_CLOUD_HOSTS`, JSON from a host, or `*.suffix`, to a base URL. Throws where it cannot be used, and on Cloud
 * Run, where it would decide whose keys sign tokens.
 */
export function readHosts(env: Environment): Hosts {
  const text = env["FW_CLOUD_HOSTS"];
  if (text === undefined || text === "") return targetOf;
  if (isOnCloudRun(env))
    throw new Error(
      "FW_CLOUD_HOSTS is for emulators: on Cloud Run it would lead to other keys; remove it from the service",
    );
  const rows = readRows(text);
  return (url) => {
    const base = baseOf(rows, url.hostname);
    return base === undefined ? targetOf(url) : { ...targetOf(base), host: url.host };
  };
}

/**
 * Cloud Run names its service or job in the environment. A rehearsal does so, too, with a metadata server on this
 * machine: a service that is led to one on Cloud Run finds no place and does not start.
 */
function isOnCloudRun(env: Environment): boolean {
  const isNamed = [env["K_SERVICE"], env["CLOUD_RUN_JOB"]].some((name) => name !== undefined && name !== "");
  return isNamed && !/^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/.test(env["GCE_METADATA_HOST"] ?? "");
}

/** Where requests go to what a URL itself names. */
export function targetOf({ protocol, hostname, port, host, pathname, href }: URL): Target {
  if (protocol !== "http:" && protocol !== "https:") throw new Error(`${href} is not an address of http or https`);
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
    const wanted = '{"*.example.com": "http://127.0.0.1:8090"}';
    throw new Error(`FW_CLOUD_HOSTS is JSON from hosts to base URLs, such as ${wanted}, not ${text}`, { cause });
  }
}

/** The host's own row, else that of its longest suffix. */
function baseOf(rows: ReadonlyMap<string, URL>, hostname: string): URL | undefined {
  const labels = hostname.split(".");
  const names = labels.map((_, i) => (i === 0 ? hostname : `*.${labels.slice(i).join(".")}`));
  return names.map((name) => rows.get(name)).find((base) => base !== undefined);
}
