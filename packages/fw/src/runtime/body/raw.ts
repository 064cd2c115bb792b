import type { Raw } from "../../declare/raw.ts";

/** The raw bytes of a request and their type. The handler owns them. */
export function rawBody(bytes: Uint8Array, type: string): Raw {
  return { bytes: new Uint8Array(bytes), type, text: () => Buffer.from(bytes).toString() };
}
