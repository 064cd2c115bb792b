/** Headers to leave out of the command: curl sends them itself, or they belong to a connection, session or browser. */
const automatic =
  /^(?:host|connection|content-length|accept-encoding|user-agent|dnt|priority|cookie|upgrade-insecure-requests|x-csrf-token|sec-.*)$/i;

/** The mask that replaces credentials in views of recorded requests. */
const masked = "•••";

/** Returns the command that sends a recorded request again, for bash, zsh and other shells with `$'…'`. */
export function curlCommand(method, { target, requestHeaders, requestBody }) {
  const text = requestBody.text ?? "";
  const parts = [["curl", ...optionsFor(method, target, text), quoted(originOf(requestHeaders) + target)].join(" ")];
  const headers = sentHeaders(requestHeaders);
  for (const [name, value] of headers) parts.push(`-H ${quoted(value === "" ? `${name};` : `${name}: ${value}`)}`);
  const hasType = headers.some(([name]) => name.toLowerCase() === "content-type");
  // By default, curl would add the content type of a form.
  if (text && !hasType) parts.push("-H 'Content-Type:'");
  if (text) parts.push(`--data-raw ${quoted(text)}`);
  return parts.join(" \\\n  ");
}

/** Returns sentences about what the command lacks. */
export function curlNotes({ target, requestHeaders, requestBody }) {
  const names = requestHeaders.map(([name]) => name.toLowerCase());
  const sent = [target, requestBody.text, ...sentHeaders(requestHeaders).map(([, value]) => value)].join("\n");
  return [
    !isComplete(requestBody) && "The body is not complete: fw records the first 16 kB of text.",
    names.includes("cookie") && "The command sends no cookies, so the request is anonymous: use “Replay as…” for that.",
    sent.includes(masked) && `Replace ${masked} with the credential, which the console does not show.`,
  ].filter(Boolean);
}

/** True if the recorded text is the whole body, and a shell can pass it on. */
export function isComplete({ bytes, text = "", isCut }) {
  return bytes === 0 || (!isCut && !/[\0\uFFFD]/.test(text));
}

function optionsFor(method, target, text) {
  const isPlain = method === "GET" && text === "";
  return [
    method === "HEAD" ? "--head" : !isPlain && `-X ${method}`,
    // By default, curl expands brackets in a URL and removes dot segments from it.
    /[[\]{}]/.test(target) && "--globoff",
    /\/\.{1,2}(?:[/?]|$)/.test(target) && "--path-as-is",
  ].filter(Boolean);
}

/**
 * Returns the Host header's origin if its port is the page's, because a tenant may have its own host name. Otherwise
 * returns the page's origin, because only services can reach each other's hosts.
 */
function originOf(headers) {
  const host = headers.find(([name]) => name.toLowerCase() === "host")?.[1] ?? "";
  return host.endsWith(`:${location.port}`) ? `${location.protocol}//${host}` : location.origin;
}

/** Returns the headers that a repeated request needs. */
export function sentHeaders(headers) {
  return headers.filter(([name]) => !automatic.test(name));
}

// oxlint-disable-next-line no-control-regex -- a shell needs these characters as escapes
const control = /[\u0000-\u001f\u007f]/;

function quoted(text) {
  if (!control.test(text)) return `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `$'${[...text].map(escaped).join("")}'`;
}

/** Escapes a character between `$'` and `'`, where shells with a history expand exclamation marks. */
function escaped(character) {
  const short = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "'": "\\'", "\\": "\\\\" }[character];
  if (short !== undefined) return short;
  if (!control.test(character) && character !== "!") return character;
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
}
