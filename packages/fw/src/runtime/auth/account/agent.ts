/** The longest part of a User-Agent header that a session keeps. */
const agentCharacters = 200;

/** Returns the part of a User-Agent header that a session keeps; undefined if there is none. */
export function storedAgent(header: string | undefined): string | undefined {
  return header === undefined || header === "" ? undefined : header.slice(0, agentCharacters);
}

/** The names of browsers, the first that matches: most browsers name others, too. */
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

/** Describes a browser for its user, such as `Firefox on Windows`; a program by the start of its header. */
export function describeAgent(agent: string | undefined): string {
  if (agent === undefined) return "Unknown browser";
  const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser === undefined) return agent.slice(0, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}
