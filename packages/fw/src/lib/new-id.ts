import { randomBytes } from "node:crypto";

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

/** Creates an id of 120 random bits: 24 letters and digits that are not easily confused. */
export function newId(): string {
  let id = "";
  for (const byte of randomBytes(24)) id += alphabet[byte & 31] ?? "";
  return id;
}
