import { type CronField, type CronMistake, fieldKinds, parseField } from "./cron-field.ts";
import { offsetAt } from "./cron-zone.ts";
import { parseDuration } from "./duration.ts";

/** Limit: characters in a cron's schedule. */
const scheduleCharacters = 200;

export type { CronMistake } from "./cron-field.ts";
export { isZone, zoneNames } from "./cron-zone.ts";

export interface CronSchedule {
  /** Five unix-cron fields that contain only numbers. `parseCron` accepts them. */
  readonly text: string;
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  /** Days of the month; undefined for every day. */
  readonly days: ReadonlySet<number> | undefined;
  /** 1 to 12. */
  readonly months: ReadonlySet<number>;
  /** Days of the week, 0 for Sunday; undefined for every day. */
  readonly weekdays: ReadonlySet<number> | undefined;
}

/** Parses five unix-cron fields, such as `"0 7 * * mon-fri"`, or an interval, such as `"every 15m"`. */
export function parseCron(text: string): CronSchedule | CronMistake {
  if (text.length > scheduleCharacters) {
    return { message: `the schedule is longer than ${scheduleCharacters} characters`, hint: fiveFields };
  }
  const words = text.trim().split(/\s+/);
  if (words[0]?.toLowerCase() === "every") return parseEvery(words.slice(1).join(" "));
  return words.length === fieldKinds.length ? parseFields(words) : notFive(text, words.length);
}

const fiveFields = 'write five fields, such as "0 7 * * 1", or an interval, such as "every 15m"';

function notFive(text: string, count: number): CronMistake {
  if (text.trim() === "") return { message: "the schedule is empty", hint: fiveFields };
  const macro = macros[text.trim().toLowerCase()];
  const counted = count === 1 ? "one field" : `${count} fields`;
  return {
    message: `the schedule "${text}" has ${counted}, not five`,
    hint: macro === undefined ? fiveFields : `write "${macro}"`,
  };
}

/** Other schedulers' shorthands, as five fields. */
const macros: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

function parseFields(words: readonly string[]): CronSchedule | CronMistake {
  const fields: CronField[] = [];
  for (const [index, kind] of fieldKinds.entries()) {
    const field = parseField(words[index] ?? "", kind);
    if ("message" in field) return field;
    fields.push(field);
  }
  const schedule = scheduleOf(fields);
  if (nextMatch(schedule, 0) !== undefined) return schedule;
  return { message: `the schedule "${words.join(" ")}" never matches a date`, hint: neverHint };
}

const neverHint = "choose a day that exists in one of the months";

function scheduleOf([minute, hour, day, month, weekday]: readonly CronField[]): CronSchedule {
  const none: CronField = { text: "*", values: new Set() };
  const [days, weekdays] = [day ?? none, weekday ?? none];
  return {
    text: [minute, hour, days, month, weekdays].map((field) => field?.text ?? "*").join(" "),
    minutes: (minute ?? none).values,
    hours: (hour ?? none).values,
    days: days.text === "*" ? undefined : days.values,
    months: (month ?? none).values,
    weekdays: weekdays.text === "*" ? undefined : new Set([...weekdays.values].map((value) => value % 7)),
  };
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

function parseEvery(text: string): CronSchedule | CronMistake {
  const ms = parseDuration(text);
  const fields = ms === undefined ? undefined : everyFields(ms);
  if (fields !== undefined) return parseFields(fields.split(" "));
  if (ms === undefined) {
    return { message: `"every ${text}" is not a valid interval`, hint: 'write minutes or hours, such as "every 15m"' };
  }
  return {
    message: `"every ${text}" does not run at the same times every day`,
    hint: "use minutes that divide 60 or hours that divide 24, such as every 5m, 15m, 1h, 6h or 24h",
  };
}

/** Returns the unix-cron fields for an interval; undefined if unix-cron cannot express it. */
function everyFields(ms: number): string | undefined {
  if (ms === dayMs) return "0 0 * * *";
  if (ms === hourMs) return "0 * * * *";
  if (ms === minuteMs) return "* * * * *";
  if (ms > minuteMs && ms % minuteMs === 0 && hourMs % ms === 0) return `*/${ms / minuteMs} * * * *`;
  if (ms > hourMs && ms % hourMs === 0 && dayMs % ms === 0) return `0 */${ms / hourMs} * * *`;
  return undefined;
}

/**
 * A time in milliseconds that is longer than any zone's offset from UTC, and longer than any clock is ever set back.
 */
const windowMs = 30 * hourMs;

/**
 * Returns the first instant after `after` at which a zone's clocks show a scheduled time; undefined if there is none
 * within the horizon. When daylight saving time starts or ends, a skipped time does not match and a repeated time
 * matches twice.
 */
export function nextTick(schedule: CronSchedule, timezone: string, after: Date): Date | undefined {
  let from = Math.floor(after.getTime() / minuteMs) * minuteMs + minuteMs;
  const latest = from + horizonMs;
  while (from <= latest) {
    const offset = offsetAt(timezone, from);
    const wall = nextMatch(schedule, from + offset);
    if (wall === undefined) return undefined;
    const instant = wall - offset;
    const change = nextChange(timezone, from, offset);
    if (instant < change) return new Date(instant);
    const isFar = change === from + windowMs;
    // Without an offset change in the window, clocks never show an earlier time again, so nothing matches before
    // `wall`.
    from = isFar ? Math.max(change, wall - windowMs) : change;
  }
  return undefined;
}

/** Returns the first minute with another offset from UTC, or the end of the window if the offset does not change. */
function nextChange(timezone: string, from: number, offset: number): number {
  let before = from;
  let after = from + windowMs;
  if (offsetAt(timezone, after) === offset) return after;
  while (after - before > minuteMs) {
    const middle = before + Math.floor((after - before) / 2 / minuteMs) * minuteMs;
    if (offsetAt(timezone, middle) === offset) before = middle;
    else after = middle;
  }
  return after;
}

/**
 * How far ahead to look for a match, in milliseconds. Two leap years are at most eight years apart; four more years
 * cover a leap-day time that clocks skip.
 */
const horizonMs = 12 * 366 * dayMs;

/**
 * Returns the first scheduled time at or after `from`; undefined if there is none within the horizon. Both are
 * wall-clock times represented as UTC.
 */
function nextMatch(schedule: CronSchedule, from: number): number | undefined {
  const latest = from + horizonMs;
  let wall = from;
  while (wall <= latest) {
    const date = new Date(wall);
    const [year, month, day, hour] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate(), date.getUTCHours()];
    if (!schedule.months.has(month + 1)) wall = Date.UTC(year, month + 1, 1);
    else if (!isDay(schedule, day, date.getUTCDay())) wall = Date.UTC(year, month, day + 1);
    else if (!schedule.hours.has(hour)) wall = Date.UTC(year, month, day, hour + 1);
    else if (!schedule.minutes.has(date.getUTCMinutes())) wall += minuteMs;
    else return wall;
  }
  return undefined;
}

/** True for a scheduled day. If both day fields are restricted, a day needs to match only one of them. */
function isDay({ days, weekdays }: CronSchedule, day: number, weekday: number): boolean {
  if (days === undefined) return weekdays?.has(weekday) ?? true;
  return days.has(day) || (weekdays?.has(weekday) ?? false);
}
