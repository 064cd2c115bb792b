import { PlatformError } from "./errors.ts";

/** Limit: UTF-8 bytes in an object's key. */
const objectKeyBytes = 1024;

const illegal = /[\p{Cc}\p{Surrogate}]/u;
/** Cloud Storage reserves keys with this prefix. */
const reserved = ".well-known/acme-challenge/";

export function checkObjectKey(key: string): void {
  if (!isObjectKey(key))
    throw new PlatformError(
      "key",
      `a key must have 1 to ${objectKeyBytes} bytes of UTF-8 and no control characters, and cannot be "." or ".." or begin with "${reserved}"`,
    );
}

export function canBeginKey(prefix: string): boolean {
  return !illegal.test(prefix);
}

function isObjectKey(key: unknown): boolean {
  if (typeof key !== "string" || key === "" || key === "." || key === "..") return false;
  if (key.length > objectKeyBytes || Buffer.byteLength(key) > objectKeyBytes) return false;
  return !illegal.test(key) && !key.startsWith(reserved);
}
