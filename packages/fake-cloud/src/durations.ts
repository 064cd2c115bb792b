/** Parses a duration in Google's format, such as `3.5s`, to milliseconds; undefined if there is no text. */
export function durationOf(text: string | undefined): number | undefined {
  return text === undefined ? undefined : milliseconds(text);
}

/** The retry delays of a queue, subscription or scheduled job. */
interface Backoff {
  readonly minBackoff: string;
  readonly maxBackoff: string;
  readonly maxDoublings?: number;
}

/**
 * Returns the milliseconds before a retry; the first retry is number 0. Delays double `maxDoublings` times, then grow
 * linearly up to the maximum.
 */
export function backoffOf({ minBackoff, maxBackoff, maxDoublings = Infinity }: Backoff, retry: number): number {
  const grown = 2 ** Math.min(retry, maxDoublings) * (1 + Math.max(0, retry - maxDoublings));
  return Math.min(milliseconds(maxBackoff), milliseconds(minBackoff) * grown);
}

function milliseconds(text: string): number {
  return Number(text.replace(/s$/, "")) * 1000;
}
