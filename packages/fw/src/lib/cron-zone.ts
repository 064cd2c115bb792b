import { isNameOfTz } from "./zone-names.ts";

const formats = new Map<string, Intl.DateTimeFormat>();

/** Formats by zone that are kept; schedules name few. */
const mostFormats = 1000;

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = formats.get(timezone);
  if (known) return known;
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: timezone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  if (formats.size >= mostFormats) formats.clear();
  formats.set(timezone, format);
  return format;
}

/** Milliseconds that a zone's clocks are ahead of UTC at an instant. Throws a RangeError for a zone that is not known. */
export function offsetAt(timezone: string, instant: number): number {
  const parts = { year: 0, month: 0, day: 0, hour: 0, minute: 0, second: 0 };
  for (const { type, value } of formatOf(timezone).formatToParts(instant)) {
    if (type in parts) parts[type as keyof typeof parts] = Number(value);
  }
  const { year, month, day, hour, minute, second } = parts;
  const wall = Date.UTC(year, month - 1, day, hour, minute, second);
  return wall - Math.floor(instant / 1000) * 1000;
}

let names: ReadonlyMap<string, string> | undefined;

/** The names of zones, by their lower case. Older names are known too, but not listed. */
export function zoneNames(): ReadonlyMap<string, string> {
  names ??= new Map(Intl.supportedValuesOf("timeZone").map((name) => [name.toLowerCase(), name]));
  return names;
}

const spelling = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** True for a name of the tz database, in its own spelling. An offset such as "+01:00" is none. */
export function isZone(name: string): boolean {
  if (!spelling.test(name)) return false;
  const listed = zoneNames().get(name.toLowerCase());
  if (listed !== undefined) return listed === name;
  if (!isNameOfTz(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}
