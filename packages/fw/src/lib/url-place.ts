/**
 * The position after some text of a URL, as browsers parse it on an http page: `start` (nothing yet), `scheme`
 * (possibly a scheme), `slash` (one slash; a second one would start a host), `noHost` (a host must follow), `host` (the
 * host may continue), `path`, `query` (or a fragment), `unsafe` (a scheme that runs code).
 */
export type URLPlace = "start" | "scheme" | "slash" | "noHost" | "host" | "path" | "query" | "unsafe";

const runsCode: ReadonlySet<string> = new Set(["javascript", "vbscript", "data"]);

/** Schemes after which any slashes, including backslashes, introduce a host. */
const hasHost: ReadonlySet<string> = new Set(["http", "https", "ws", "wss", "ftp", "file"]);

export function urlPlace(text: string): URLPlace {
  const read = asBrowsersRead(text);
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(read)?.[1];
  if (scheme === undefined) return withoutScheme(read);
  const name = scheme.toLowerCase();
  if (runsCode.has(name)) return "unsafe";
  const rest = read.slice(scheme.length + 1);
  return hasHost.has(name) ? afterHost(rest) : pathOrQuery(rest);
}

/** Removes spaces and control characters before a URL, and tabs and line breaks anywhere in it. */
function asBrowsersRead(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/^[\u0000- ]+/, "").replace(/[\t\n\r]+/g, "");
}

function withoutScheme(read: string): URLPlace {
  if (read === "") return "start";
  if (/^[/\\]{2}/.test(read)) return afterHost(read);
  if (/^[/\\]$/.test(read)) return "slash";
  return /^[a-z][a-z0-9+.-]*$/i.test(read) ? "scheme" : pathOrQuery(read);
}

function afterHost(text: string): URLPlace {
  const rest = text.replace(/^[/\\]+/, "");
  const end = rest.search(/[/\\?#]/);
  if (end >= 0) return pathOrQuery(rest.slice(end));
  return rest === "" ? "noHost" : "host";
}

function pathOrQuery(text: string): URLPlace {
  return /[?#]/.test(text) ? "query" : "path";
}
