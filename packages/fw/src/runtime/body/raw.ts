import type { Raw } from "../../declare/raw.ts";

/** Bytes of a request, and what it says they are. They are the handler's own. */
export function rawBody(bytes: Uint8Array, type: string): Raw {
  return { bytes: new Uint8Array(bytes), type, text: () => Buffer.from(bytes).toString() };
}
