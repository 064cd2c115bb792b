const units = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 } as const;

const grammar = /^(\d{1,15})(?:\.(\d{1,9}))?(ms|s|m|h|d)$/;

/**
 * Parses a literal such as `"15m"` or `"1.5h"` into exact milliseconds. Returns undefined if the text is not a
 * duration, is finer than a millisecond, or exceeds a safe integer.
 */
export function parseDuration(text: string): number | undefined {
  const match = grammar.exec(text);
  if (!match) return undefined;
  const [, whole = "", fraction = "", unit = "ms"] = match;
  const scale = 10n ** BigInt(fraction.length);
  const scaled = BigInt(whole + fraction) * BigInt(units[unit as keyof typeof units]);
  if (scaled % scale !== 0n) return undefined;
  const ms = Number(scaled / scale);
  return Number.isSafeInteger(ms) ? ms : undefined;
}

/**
 * Returns the literal for a non-negative whole number of milliseconds in the largest unit that needs no decimals:
 * `"10m"` for `600000`.
 */
export function formatDuration(ms: number): string {
  for (const [unit, size] of Object.entries(units)) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}
