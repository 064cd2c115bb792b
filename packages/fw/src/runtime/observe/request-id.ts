import { randomFillSync } from "node:crypto";

const idLength = 16;
const pool = Buffer.allocUnsafe(4096);
let hex = "";
let next = 0;
/**
 * The number of ids still to create without `node:crypto`. A built service loads the module on first use, and loading
 * it later makes the start a tenth faster.
 */
let idsWithoutCrypto = 16;

/**
 * Returns 64 random bits in hexadecimal, which are not secret. Never taken from the request, because clients must not
 * choose the ids in the log.
 */
export function newRequestId(): string {
  if (idsWithoutCrypto > 0) {
    idsWithoutCrypto -= 1;
    return randomHalf() + randomHalf();
  }
  if (next === hex.length) {
    hex = randomFillSync(pool).toString("hex");
    next = 0;
  }
  next += idLength;
  return hex.slice(next - idLength, next);
}

function randomHalf(): string {
  return Math.floor(Math.random() * 2 ** 32)
    .toString(16)
    .padStart(idLength / 2, "0");
}
