import type { Raw } from "../../declare/raw.ts";
import { jsonBytes, remoteBytes } from "../../lib/limits.ts";
import type { BundledEndpoint } from "../bundle.ts";
import type { Request } from "../request.ts";
import { receiveBody } from "./body.ts";

/** Receives the bytes of a body, of whichever type. The error is a StatusError 413 beyond the limit, or Disconnected. */
export function receiveRaw(
  { exchange, caller }: Pick<Request, "exchange" | "caller">,
  { maxBody = jsonBytes }: Pick<BundledEndpoint, "maxBody">,
  received: (error: Error | undefined, bytes: Buffer) => void,
): void {
  receiveBody(exchange, caller === undefined ? maxBody : remoteBytes, received);
}

/** Bytes of a request, and what it says they are. They are the handler's own. */
export function rawBody(bytes: Uint8Array, type: string): Raw {
  return { bytes: new Uint8Array(bytes), type, text: () => Buffer.from(bytes).toString() };
}
