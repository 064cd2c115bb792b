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

/** Hosts that lead elsewhere, as `FW_CLOUD_HOSTS` says: JSON from a host, or `*.suffix`, to a base URL. Throws where it says nothing that can be used. */
export function readHosts(env: Readonly<Record<string, string | undefined>>): Hosts {
  const text = env["FW_CLOUD_HOSTS"];
  if (text === undefined || text === "") return targetOf;
  const rows = readRows(text);
  return (url) => {
    const base = baseOf(rows, url.hostname);
    return base === undefined ? targetOf(url) : { ...targetOf(base), host: url.host };
  };
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
