import { randomFillSync } from "node:crypto";

const idLength = 16;
const pool = Buffer.allocUnsafe(4096);
let hex = "";
let next = 0;

/**
 * Returns 64 random bits in hexadecimal. Never taken from the request, because clients must not choose the ids in the
 * log.
 */
export function newRequestId(): string {
  if (next === hex.length) {
    hex = randomFillSync(pool).toString("hex");
    next = 0;
  }
  next += idLength;
  return hex.slice(next - idLength, next);
}
