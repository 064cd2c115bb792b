import type { SqlRow } from "./driver.ts";

/** True if a row's document has expired at this time (milliseconds since 1970). */
export function isExpired({ expires }: SqlRow, now: number): boolean {
  return expires !== null && Number(expires) <= now;
}
