import { parseDuration } from "./duration.ts";

/** The maximum number of uses per key within a window. */
export interface Rate {
  readonly count: number;
  /** The length of the sliding window in milliseconds. */
  readonly milliseconds: number;
}

/** Limit: the largest count of a `Limit`, because a key's document contains that many timestamps. */
const mostUses = 1_000;

/** Limit: the longest window of a `Limit`, in milliseconds. */
const longestLimitWindowMs = 31 * 86_400_000;

/** Parses `10/h`, `5/15m` or `100/1d`; for any other text, returns what is wrong. */
export function parseRate(text: string): Rate | { readonly problem: string; readonly hint: string } {
  const [number = "", window = "", ...rest] = text.split("/");
  const milliseconds = parseDuration(/^[a-z]/.test(window) ? `1${window}` : window);
  if (rest.length > 0 || !/^\d{1,15}$/.test(number) || milliseconds === undefined)
    return { problem: `"${text}" is not a rate`, hint: "write a count, a slash and a window, such as 10/h or 5/15m" };
  const count = Number(number);
  if (count < 1 || count > mostUses)
    return { problem: `the count of "${text}" is out of range`, hint: `write a count from 1 to ${mostUses}` };
  if (milliseconds < 1_000 || milliseconds > longestLimitWindowMs)
    return { problem: `the window of "${text}" is out of range`, hint: "write a window from 1s to 31d" };
  return { count, milliseconds };
}
