import { createHash } from "node:crypto";

/**
 * Returns a document id for a declaration and a key, which may be longer than an id. Different keys get different ids,
 * even those with half a surrogate pair, such as truncated ones: UTF-8 would encode every half as U+FFFD.
 */
export function keyHash(declaration: string, key: string): string {
  const hash = createHash("sha256").update(`${declaration}\0`);
  if (!/\p{Surrogate}/u.test(key)) return hash.update(key).digest("base64url");
  // UTF-8 never contains this byte.
  return hash.update("\xff", "latin1").update(key, "utf16le").digest("base64url");
}
