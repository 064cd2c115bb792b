import { timingSafeEqual } from "node:crypto";

/** Compares two strings in time that depends only on their lengths. */
export function equalTexts(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
