import * as fc from "fast-check";
import { expect, test } from "vitest";
import { nextTick, parseCron, type CronSchedule } from "./cron.ts";
import { isZone } from "./cron-zone.ts";
import { tries } from "./testing/tries.ts";

function read(text: string): CronSchedule {
  const schedule = parseCron(text);
  if ("message" in schedule) throw new Error(schedule.message);
  return schedule;
}

function mistake(text: string): string | undefined {
  const schedule = parseCron(text);
  return "message" in schedule ? schedule.message : undefined;
}

function ticks(text: string, timezone: string, after: string, count: number): readonly (string | undefined)[] {
  const schedule = read(text);
  const results: (string | undefined)[] = [];
  for (let last: Date | undefined = new Date(after); last && results.length < count;) {
    last = nextTick(schedule, timezone, last);
    results.push(last?.toISOString().replace(":00.000Z", "Z"));
  }
  return results;
}

test.each([
  ["0 7 * * 1", "0 7 * * 1"],
  ["  */15   8-18/2  1,15 * MON-fri ", "*/15 8-18/2 1,15 * 1-5"],
  ["0 0 * jan,Jul-SEP sun", "0 0 * 1,7-9 0"],
  ["0 0 * * fri-sun", "0 0 * * 5-7"],
  ["0 0 * * sat-0", "0 0 * * 6-7"],
  ["0 0 * * sun-sun", "0 0 * * 0-0"],
  ["0 0 * * 0-2", "0 0 * * 0-2"],
  ["0 0 * * 7", "0 0 * * 7"],
  ["every 15m", "*/15 * * * *"],
  ["every 1m", "* * * * *"],
  ["every 60m", "0 * * * *"],
  ["every 1h", "0 * * * *"],
  ["every 2h", "0 */2 * * *"],
  ["every 24h", "0 0 * * *"],
  ["every 1d", "0 0 * * *"],
  ["every  30m", "*/30 * * * *"],
])("the schedule %j is the unix-cron %j, which is read as the same schedule", (text, fields) => {
  const schedule = read(text);
  expect(schedule.text).toBe(fields);
  expect(read(fields)).toEqual(schedule);
});

test.each([
  ["", "the schedule is empty"],
  ["* * * *", 'the schedule "* * * *" has 4 fields, not five'],
  ["@daily", 'the schedule "@daily" has one field, not five'],
  ["60 * * * *", '"60" is not a minute'],
  ["* 24 * * *", '"24" is not an hour'],
  ["* * 0 * *", '"0" is not a day of the month'],
  ["* * 1 13 *", '"13" is not a month'],
  ["* * * * 8", '"8" is not a day of the week'],
  ["* * L * *", '"L" is not a day of the month'],
  ["-5 * * * *", '"-5" is not a minute'],
  ["1.5 * * * *", '"1.5" is not a minute'],
  ["1,,2 * * * *", '"" is not a minute'],
  ["*-5 * * * *", '"*-5" is not a minute'],
  ["30-10 * * * *", 'the range "30-10" ends before it starts'],
  ["5/15 * * * *", '"5/15" has a step but no range'],
  ["*/0 * * * *", 'the step of "*/0" is not from 1 to 59'],
  ["0 0 30 2 *", 'the schedule "0 0 30 2 *" never matches a date'],
  ["0 0 31 2,4,6,9,11 *", 'the schedule "0 0 31 2,4,6,9,11 *" never matches a date'],
  ["every 7m", '"every 7m" does not run at the same times every day'],
  ["every 90m", '"every 90m" does not run at the same times every day'],
  ["every 5h", '"every 5h" does not run at the same times every day'],
  ["every 48h", '"every 48h" does not run at the same times every day'],
  ["every 30s", '"every 30s" does not run at the same times every day'],
  ["every 0m", '"every 0m" does not run at the same times every day'],
  ["every day", '"every day" is not a valid interval'],
  ["every", '"every " is not a valid interval'],
  [" ".repeat(201), "the schedule is longer than 200 characters"],
])("the schedule %j is refused: %s", (text, message) => {
  expect(mistake(text)).toBe(message);
});

test("where a schedule names days of the month and of the week, either comes", () => {
  expect(ticks("0 0 13 * fri", "UTC", "2026-02-01T00:00:00Z", 5)).toEqual([
    "2026-02-06T00:00Z",
    "2026-02-13T00:00Z",
    "2026-02-20T00:00Z",
    "2026-02-27T00:00Z",
    "2026-03-06T00:00Z",
  ]);
});

test("the next tick is after the given instant, never at it", () => {
  expect(ticks("*/30 * * * *", "UTC", "2026-01-01T00:00:00.000Z", 2)).toEqual([
    "2026-01-01T00:30Z",
    "2026-01-01T01:00Z",
  ]);
  expect(ticks("*/30 * * * *", "UTC", "2026-01-01T00:29:59.999Z", 1)).toEqual(["2026-01-01T00:30Z"]);
});

test("a range from Sunday to Sunday is Sunday", () => {
  expect(ticks("0 0 * * sun-sun", "UTC", "2026-02-01T00:00:00Z", 2)).toEqual([
    "2026-02-08T00:00Z",
    "2026-02-15T00:00Z",
  ]);
});

test("29 February comes in leap years, also across 2100", () => {
  expect(ticks("0 0 29 2 *", "UTC", "2096-01-01T00:00:00Z", 2)).toEqual(["2096-02-29T00:00Z", "2104-02-29T00:00Z"]);
});

test("a time that clocks skip does not come that day", () => {
  expect(ticks("30 2 * * *", "Europe/Zurich", "2026-03-28T00:00:00Z", 2)).toEqual([
    "2026-03-28T01:30Z",
    "2026-03-30T00:30Z",
  ]);
});

test("a time that clocks show twice comes twice", () => {
  expect(ticks("30 2 * * *", "Europe/Zurich", "2026-10-24T12:00:00Z", 3)).toEqual([
    "2026-10-25T00:30Z",
    "2026-10-25T01:30Z",
    "2026-10-26T01:30Z",
  ]);
});

test("every 15 minutes comes every 15 minutes while clocks are put back, by half an hour too", () => {
  const found = ticks("every 15m", "Australia/Lord_Howe", "2026-04-04T14:00:00Z", 8).map((each) =>
    Date.parse(each ?? ""),
  );
  expect(found.slice(1).map((each, i) => each - (found[i] ?? 0))).toEqual(Array(7).fill(900_000));
});

test("a zone is a name of the tz database in its own spelling", () => {
  const cases = [
    "UTC",
    "Etc/UTC",
    "Europe/Zurich",
    "US/Pacific",
    "Asia/Kolkata",
    "Asia/Calcutta",
    "Etc/GMT+5",
    "GB-Eire",
  ];
  expect(cases.filter((name) => !isZone(name))).toEqual([]);
  const others = [
    "",
    "+01:00",
    "europe/zurich",
    "EUROPE/ZURICH",
    "Europe/Zürich",
    "Mars/Olympus",
    "us/pacific",
    " UTC",
  ];
  expect(others.filter(isZone)).toEqual([]);
});

test("a name that only ICU knows is no zone: it means another place than people think", () => {
  const short =
    "ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST".split(" ");
  const others = [...short, "SystemV/PST8", "SystemV/PST8PDT", "Etc/Unknown"];
  expect(others.filter(isZone)).toEqual([]);
});

test("every name of the tz database without an area is a zone", () => {
  const names =
    "CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT UTC Universal W-SU WET Zulu";
  expect(names.split(" ").filter((name) => !isZone(name))).toEqual([]);
});

const zones = [
  "UTC",
  "Europe/Zurich",
  "America/New_York",
  "America/St_Johns",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "Africa/Casablanca",
  "America/Santiago",
  "Pacific/Chatham",
  "Pacific/Apia",
  "Africa/Cairo",
] as const;

interface CronFields {
  readonly text: string;
  readonly has: (value: number) => boolean;
  readonly all: boolean;
}

/** Generates the text of a field with its meaning, independently of the parser. */
function field(from: number, to: number): fc.Arbitrary<CronFields> {
  const number = fc.integer({ min: from, max: to });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant<CronFields>({ text: "*", has: () => true, all: true }) },
    { weight: 2, arbitrary: number.map((n): CronFields => ({ text: `${n}`, has: (v) => v === n, all: false })) },
    fc.tuple(number, number, fc.integer({ min: 1, max: 7 })).map(([a, b, step]): CronFields => {
      const [low, high] = a < b ? [a, b] : [b, a];
      const has = (v: number): boolean => v >= low && v <= high && (v - low) % step === 0;
      return { text: `${low}-${high}/${step}`, has, all: false };
    }),
    fc.array(number, { minLength: 1, maxLength: 4 }).map((list): CronFields => {
      return { text: list.join(","), has: (v) => list.includes(v), all: false };
    }),
  );
}

const minute = 60_000;

/** Returns the ticks after `from`, up to `to`. Checks one instant per `step`, using only what clocks show. */
function oracle(
  fields: readonly CronFields[],
  timezone: string,
  from: number,
  to: number,
  step: number = minute,
): readonly number[] {
  const [minutes, hours, days, months, weekdays] = fields as [
    CronFields,
    CronFields,
    CronFields,
    CronFields,
    CronFields,
  ];
  // Formatting to text is much faster than `formatToParts`. Versions of ICU differ in the commas.
  const clock = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    weekday: "short",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const ticks: number[] = [];
  for (let at = from + step; at <= to; at += step) {
    const [, name = "", ...texts] = /^(\w{3}),? (\d\d)\/(\d\d),? (\d\d):(\d\d)$/.exec(clock.format(at)) ?? [];
    const [day, month, hour, minuteOfHour] = texts.map(Number) as [number, number, number, number];
    const weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"].indexOf(name);
    const byDay = days.has(day);
    const byWeekday = weekdays.has(weekday) || (weekday === 0 && weekdays.has(7));
    const isDay = days.all ? byWeekday : weekdays.all ? byDay : byDay || byWeekday;
    if (minutes.has(minuteOfHour) && hours.has(hour) && months.has(month) && isDay) ticks.push(at);
  }
  return ticks;
}

/** Days around clock changes in some zones in 2026, and other days. */
const starts = [
  "2026-02-13",
  "2026-02-28",
  "2026-03-07",
  "2026-03-21",
  "2026-03-28",
  "2026-04-03",
  "2026-04-23",
  "2026-06-30",
  "2026-09-04",
  "2026-09-25",
  "2026-10-02",
  "2026-10-24",
  "2026-10-28",
  "2026-10-31",
  "2026-12-30",
];

test(
  "the ticks of any schedule are the minutes whose wall clock it names, through daylight saving",
  () => {
    fc.assert(
      fc.property(
        fc.tuple(field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(0, 6)),
        fc.constantFrom(...zones),
        fc.constantFrom(...starts),
        fc.integer({ min: 0, max: 1439 }),
        (fields, timezone, day, offset) => {
          const schedule = parseCron(fields.map(({ text }) => text).join(" "));
          if ("message" in schedule) {
            expect(schedule.message).toMatch(/never matches a date$/);
            return;
          }
          const from = Date.parse(`${day}T00:00:00Z`) + offset * minute;
          const to = from + 3 * 1440 * minute;
          const ticks: number[] = [];
          for (let at = nextTick(schedule, timezone, new Date(from)); at && at.getTime() <= to;) {
            ticks.push(at.getTime());
            at = nextTick(schedule, timezone, at);
          }
          expect(ticks).toEqual(oracle(fields, timezone, from, to));
        },
      ),
      { numRuns: tries(40) },
    );
  },
  tries(60_000),
);

test.each(zones)(
  "a year of ticks in %s is what its clocks show",
  (timezone) => {
    const at = (n: number): CronFields => ({ text: `${n}`, has: (v) => v === n, all: false });
    const any: CronFields = { text: "*", has: () => true, all: true };
    const few: CronFields = { text: "0-3", has: (v) => v <= 3, all: false };
    const from = Date.parse("2026-01-01T00:00:00Z");
    const to = Date.parse("2027-01-01T00:00:00Z");
    const schedule = read("30 0-3 * * *");
    const ticks: number[] = [];
    for (let tick = nextTick(schedule, timezone, new Date(from)); tick && tick.getTime() <= to;) {
      ticks.push(tick.getTime());
      tick = nextTick(schedule, timezone, tick);
    }
    // Offsets from UTC are multiples of 15 minutes, and they change only at such a multiple.
    expect(ticks).toEqual(oracle([at(30), few, any, any, any], timezone, from, to, 15 * minute));
  },
  60_000,
);

test("whatever text is read as a schedule, an answer comes at once", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ maxLength: 300 }), fc.stringMatching(/^[-*/,0-9a-z ]{0,60}$/)), (text) => {
      const schedule = parseCron(text);
      if ("message" in schedule) expect(schedule.hint).not.toBe("");
      else expect(nextTick(schedule, "Europe/Zurich", new Date("2026-01-01T00:00:00Z"))).toBeInstanceOf(Date);
    }),
    { numRuns: 2_000 },
  );
});
