export function time(at) {
  const date = new Date(at);
  const two = (number, width = 2) => String(number).padStart(width, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${two(date.getMilliseconds(), 3)}`;
}

/** Formats seconds since 1970 as a time of day, such as `23:04:09`. */
export function clockTime(at) {
  return time(at * 1000).slice(0, 8);
}

export function dateTime(value) {
  const at = plainDate(value);
  return at === undefined ? "" : new Date(at).toLocaleString();
}

/**
 * Converts a date to a value that `Date` accepts; the server sends dates as `{ $date: milliseconds }`. Returns
 * undefined for other values.
 */
function plainDate(value) {
  if (value && typeof value === "object" && "$date" in value) return value.$date;
  return typeof value === "string" || typeof value === "number" ? value : undefined;
}

export function ms(value) {
  if (value > 0 && value < 0.05) return "under 0.1 ms";
  if (value < 10 && !Number.isInteger(value)) return `${value.toFixed(1)} ms`;
  return value < 10_000 ? `${Math.round(value)} ms` : `${(value / 1000).toFixed(1)} s`;
}

/** Formats milliseconds in one unit, such as `8.8 s` or `3 days`. */
export function duration(value) {
  if (value < 1000) return ms(value);
  if (value < 60_000) return `${(value / 1000).toFixed(1)} s`;
  const minutes = Math.round(value / 60_000);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${number(Math.round(hours / 24))} days`;
}

/** Formats the distance of a time from now, such as `in 16 h` or `5.2 s ago`. */
export function distance(value) {
  const past = Date.now() - new Date(plainDate(value)).getTime();
  if (Math.abs(past) < 1000) return "now";
  return past > 0 ? `${duration(past)} ago` : `in ${duration(-past)}`;
}

/** Formats a number with its noun, such as `1 document` or `2,000 documents`. */
export function counted(count, noun) {
  return `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
}

export function number(value) {
  return Number.isInteger(value)
    ? value.toLocaleString()
    : value.toLocaleString(undefined, { maximumFractionDigits: 2 });
}

export function bytes(size) {
  if (size < 1000) return `${size} B`;
  if (size < 1e6) return `${(size / 1e3).toFixed(1)} kB`;
  return size < 1e9 ? `${(size / 1e6).toFixed(1)} MB` : `${(size / 1e9).toFixed(1)} GB`;
}

/** The maximum number of characters of a path in a list. */
const shownCharacters = 160;

/** Omits the middle of a string that is longer than `most` characters. */
export function shortened(text, most = shownCharacters) {
  if (text.length <= most) return text;
  const half = Math.floor((most - 1) / 2);
  return `${text.slice(0, half)}…${text.slice(-half)}`;
}

export function statusClass(status) {
  if (status >= 500) return "bad";
  return status >= 400 ? "warn" : "good";
}

export function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** Formats the two histogram bounds between which a value lies; "" without a value. */
export function rangeText(range, format) {
  if (!range) return "";
  if (range.to === undefined) return `over ${format(range.from)}`;
  return range.from === 0 ? `under ${format(range.to)}` : `${format(range.from)} to ${format(range.to)}`;
}
