import { timingSafeEqual } from "node:crypto";

/** Compares two texts in a time that depends on their lengths only. */
export function equalTexts(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.byteLength === right.byteLength && timingSafeEqual(left, right);
}
