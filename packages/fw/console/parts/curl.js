/** Headers that curl sends itself, or that only a browser sends. */
const automatic =
  /^(?:host|connection|content-length|accept-encoding|accept-language|user-agent|dnt|priority|cookie|upgrade-insecure-requests|x-csrf-token|sec-.*)$/i;

/** The command that sends a recorded request again. */
export function curlCommand(method, { target, requestHeaders, requestBody }) {
  const parts = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(location.origin + target)}`];
  for (const [name, value] of sentHeaders(requestHeaders)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (requestBody.text) parts.push(`--data-raw ${quoted(requestBody.text)}`);
  return parts.join(" \\\n  ");
}

/** The headers that a repeated request needs. */
export function sentHeaders(headers) {
  return headers.filter(([name]) => !automatic.test(name));
}

function quoted(text) {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
