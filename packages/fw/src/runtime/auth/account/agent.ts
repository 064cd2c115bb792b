/** The number of characters of a User-Agent header that a session stores. */
const agentCharacters = 200;

/** Returns the part of a User-Agent header that a session stores; undefined without a header. */
export function storedAgent(header: string | undefined): string | undefined {
  return header === undefined || header === "" ? undefined : header.slice(0, agentCharacters);
}

/** Browser names in matching order. Most browsers also list others' names, so the first match counts. */
const browsers: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\bEdgA?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bAndroid\b/, "Android"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** Describes a browser, such as `Firefox on Windows`. For other programs, returns the start of `agent`. */
export function describeAgent(agent: string | undefined): string {
  if (agent === undefined) return "Unknown browser";
  const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser === undefined) return agent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}
