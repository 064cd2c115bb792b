const formats = new Map<string, Intl.DateTimeFormat>();

/** The maximum number of formatters to cache, one per time zone; schedules use few zones. */
const mostFormats = 1000;

function formatOf(timezone: string): Intl.DateTimeFormat {
  const cached = formats.get(timezone);
  if (cached) return cached;
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

/**
 * Returns how many milliseconds a zone's clocks are ahead of UTC at an instant. Throws a RangeError for an unknown
 * zone.
 */
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

/**
 * Returns the current names of zones by their lower-case form, without the older names, which `isZone` also accepts.
 */
export function zoneNames(): ReadonlyMap<string, string> {
  names ??= new Map(Intl.supportedValuesOf("timeZone").map((name) => [name.toLowerCase(), name]));
  return names;
}

const spelling = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** True for a name in the tz database, in its exact spelling. An offset such as "+01:00" is not a zone. */
export function isZone(name: string): boolean {
  if (!spelling.test(name)) return false;
  const zone = zoneNames().get(name.toLowerCase());
  if (zone !== undefined) return zone === name;
  if (!isNameOfTz(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** The first segments of names in the tz database that contain a slash. */
const areas =
  "Africa America Antarctica Arctic Asia Atlantic Australia Brazil Canada Chile Etc Europe Indian Mexico Pacific US";

/** The names in the tz database without a slash. None of them is ever removed, and new zones have an area. */
const withoutArea =
  "CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel " +
  "Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT " +
  "UTC Universal W-SU WET Zulu";

const firstParts: ReadonlySet<string> = new Set(areas.split(" "));
const plainNames: ReadonlySet<string> = new Set(withoutArea.split(" "));

/**
 * True if the tz database has the name or, in `area/city`, the area. ICU also knows other names: its `BST` is the time
 * in Bangladesh.
 */
function isNameOfTz(name: string): boolean {
  const slash = name.indexOf("/");
  return slash === -1 ? plainNames.has(name) : firstParts.has(name.slice(0, slash));
}
