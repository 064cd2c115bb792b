import { randomFillSync } from "node:crypto";

const idLength = 16;
const pool = Buffer.allocUnsafe(4096);
let hex = "";
let next = 0;

/** 64 random bits in hexadecimal. Never taken from the request: an id in the log must not be of a visitor's making. */
export function newRequestId(): string {
  if (next === hex.length) {
    hex = randomFillSync(pool).toString("hex");
    next = 0;
  }
  next += idLength;
  return hex.slice(next - idLength, next);
}
