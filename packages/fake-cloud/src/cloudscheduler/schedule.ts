/** The five fields of a unix-cron schedule, each as a set of values. */
export interface Schedule {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly weekdays: ReadonlySet<number>;
  /** True if both day and weekday are restricted. Then a date matches if either one does. */
  readonly eitherDay: boolean;
}

/** Parses a schedule; undefined if it is invalid. */
export function parseSchedule(text: string): Schedule | undefined {
  const parts = text.trim().split(/\s+/);
  if (parts.length !== 5) return undefined;
  const [minutes, hours, days, months, weekdays] = [
    valuesOf(parts[0], 0, 59),
    valuesOf(parts[1], 0, 23),
    valuesOf(parts[2], 1, 31),
    valuesOf(parts[3], 1, 12, monthNames),
    valuesOf(parts[4], 0, 7, dayNames),
  ];
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  if (weekdays.has(7)) weekdays.add(0);
  return { minutes, hours, days, months, weekdays, eitherDay: parts[2] !== "*" && parts[4] !== "*" };
}

/** Returns the first minute after `after` in which a schedule is due in a time zone; undefined if none is found. */
export function nextRun(schedule: Schedule, timeZone: string, after: number): number | undefined {
  const parts = partsIn(timeZone);
  let at = Math.floor(after / 60_000) * 60_000 + 60_000;
  // Skips whole hours and days that cannot match.
  for (let step = 0; step < 20_000; step++) {
    const { minute, hour, day, month, weekday } = parts(at);
    const dayFits = schedule.eitherDay
      ? schedule.days.has(day) || schedule.weekdays.has(weekday)
      : schedule.days.has(day) && schedule.weekdays.has(weekday);
    if (!schedule.months.has(month) || !dayFits) at += (24 - hour) * 3_600_000 - minute * 60_000;
    else if (!schedule.hours.has(hour)) at += (60 - minute) * 60_000;
    else if (!schedule.minutes.has(minute)) at += 60_000;
    else return at;
  }
  return undefined;
}

interface Parts {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
}

function partsIn(timeZone: string): (at: number) => Parts {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    hourCycle: "h23",
    month: "numeric",
    day: "numeric",
    weekday: "short",
    hour: "numeric",
    minute: "numeric",
  });
  return (at) => {
    const values = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value])) as Record<
      string,
      string
    >;
    return {
      minute: Number(values["minute"]),
      hour: Number(values["hour"]),
      day: Number(values["day"]),
      month: Number(values["month"]),
      weekday: dayNames.indexOf((values["weekday"] ?? "").toLowerCase()),
    };
  };
}

const dayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const monthNames = ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Parses a field: a list of `*`, `5`, `1-5` or `mon`, each with an optional step such as `/2`. */
function valuesOf(
  field: string | undefined,
  least: number,
  most: number,
  names: readonly string[] = [],
): Set<number> | undefined {
  const values = new Set<number>();
  for (const item of (field ?? "").split(",")) {
    const [, from, to, step = "1"] = /^(\*|\w+)(?:-(\w+))?(?:\/(\d+))?$/.exec(item) ?? [];
    if (from === undefined || step === "0") return undefined;
    const number = (text: string): number =>
      names.includes(text.toLowerCase()) ? names.indexOf(text.toLowerCase()) : Number(text);
    const first = from === "*" ? least : number(from);
    const last = to === undefined ? (from === "*" || item.includes("/") ? most : first) : number(to);
    if (!(first >= least && last <= most && first <= last)) return undefined;
    for (let value = first; value <= last; value += Number(step)) values.add(value);
  }
  return values;
}
