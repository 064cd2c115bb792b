import type { Raw } from "../../declare/raw.ts";

/** Wraps the raw bytes of a request and their type. The handler owns the copied bytes. */
export function rawBody(bytes: Uint8Array, type: string): Raw {
  return { bytes: new Uint8Array(bytes), type, text: () => Buffer.from(bytes).toString() };
}
