const shape = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(?:[Zz]|([-+])(\d\d):(\d\d))$/;

/** Parses an RFC 3339 timestamp to the millisecond; undefined for anything else, including leap seconds. */
export function parseDate(text: string): Date | undefined {
  const parts = shape.exec(text);
  if (parts === null) return undefined;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as Six;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  const offset = offsetMinutes(parts);
  if (offset === undefined) return undefined;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute - offset, second, Number((parts[7] ?? "").padEnd(3, "0").slice(0, 3)));
  return date;
}

type Six = [number, number, number, number, number, number];

function offsetMinutes(parts: RegExpExecArray): number | undefined {
  if (parts[8] === undefined) return 0;
  const hours = Number(parts[9]);
  const minutes = Number(parts[10]);
  if (hours > 23 || minutes > 59) return undefined;
  return (parts[8] === "-" ? -1 : 1) * (hours * 60 + minutes);
}

function daysIn(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}
