import { randomBytes } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Creates an id with 120 random bits: 24 letters and digits that are hard to confuse. */
export function newId(): string {
  let id = "";
  for (const byte of randomBytes(24)) id += alphabet[byte & 31] ?? "";
  return id;
}
