import { isUtf8 } from "node:buffer";
import { StatusError } from "../../declare/errors.ts";
import { jsonBytes, remoteBytes } from "../../lib/limits.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { usesInt64 } from "../capabilities.ts";
import { BadInput } from "../decode/bad-input.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { isUTF8, mediaType, receiveBody } from "./body.ts";
import { parseExact } from "./json-exact.ts";

/**
 * Passes the bytes of a JSON or raw body to `received`; undefined if a JSON endpoint gets no type and no body. The
 * error is Disconnected or a 413. Throws a 415 for an encoded body and, if the endpoint takes JSON, for another type.
 */
export function receiveBytes(
  { exchange, caller }: Pick<Request, "exchange" | "caller">,
  { carries, maxBody = jsonBytes }: Pick<BundledEndpoint, "carries" | "maxBody">,
  received: (error: Error | undefined, bytes: Buffer | undefined) => void,
): void {
  // Between services, a request may be as large as a response.
  const limit = caller === undefined ? maxBody : remoteBytes;
  if (carries === "json") {
    const type = exchange.header("content-type");
    if (type === undefined && announcedBytes(exchange) === 0) return received(undefined, undefined);
    // A calling service may use 100-continue, which requires chunked encoding even for an empty body.
    if (type === undefined && caller !== undefined)
      return receiveBody(exchange, limit, (error, bytes) => received(error, bytes.length > 0 ? bytes : undefined));
    if (type !== "application/json" && !isJSONType(type)) throw new StatusError(415, messages.wantsJSON);
  }
  receiveBody(exchange, limit, received);
}

function isJSONType(contentType: string | undefined): boolean {
  if (contentType === undefined || !isUTF8(contentType)) return false;
  const type = mediaType(contentType);
  return type === "application/json" || /^application\/[\w.!#$&^-]+\+json$/.test(type);
}

/**
 * Parses JSON bytes; undefined if there are none. With `exactIntegers`, integers beyond the safe range become bigints.
 * Throws a BadInput.
 */
export function parseJSON(bytes: Buffer | undefined, exactIntegers: boolean): unknown {
  if (bytes === undefined) return undefined;
  if (!isUtf8(bytes)) throw new BadInput(messages.invalidJSON);
  const text = bytes.toString();
  try {
    return usesInt64 && exactIntegers ? parseExact(text) : (JSON.parse(text) as unknown);
  } catch (error) {
    throw error instanceof BadInput ? error : new BadInput(messages.invalidJSON);
  }
}
