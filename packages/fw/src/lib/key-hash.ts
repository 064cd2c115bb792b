import { createHash } from "node:crypto";

/**
 * Returns a document id for a declaration and a key, which may be longer than an id. Different keys have different ids:
 * UTF-8 would encode every half of a surrogate pair, as in a truncated key, like U+FFFD.
 */
export function keyHash(declaration: string, key: string): string {
  const hash = createHash("sha256").update(`${declaration}\0`);
  if (!/\p{Surrogate}/u.test(key)) return hash.update(key).digest("base64url");
  // UTF-8 does not contain this byte.
  return hash.update("\xff", "latin1").update(key, "utf16le").digest("base64url");
}
