import { createHash } from "node:crypto";

/**
 * Returns a document id for a declaration and a key of any length. Different keys get different ids, even if they
 * contain half a surrogate pair, which UTF-8 would encode as U+FFFD.
 */
export function keyHash(declaration: string, key: string): string {
  const hash = createHash("sha256").update(`${declaration}\0`);
  if (!/\p{Surrogate}/u.test(key)) return hash.update(key).digest("base64url");
  // UTF-8 never contains this byte.
  return hash.update("\xff", "latin1").update(key, "utf16le").digest("base64url");
}
