import type { SqlRow } from "./driver.ts";

/** True if the document of a row has expired at a time in milliseconds since 1970. */
export function isExpired({ expires }: SqlRow, now: number): boolean {
  return expires !== null && Number(expires) <= now;
}
