import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { encodeTagged } from "../../../lib/tagged-json.ts";
import { Malformed } from "../../../lib/codec.ts";
import { PlatformError } from "../../errors.ts";
import type { Failure } from "../protocol.ts";
import { optional, list } from "../../../lib/codec.ts";
import { key } from "../../codecs.ts";
import type { Key } from "../../contract.ts";
import { ChangeStream } from "./changes.ts";
import { Download } from "./operation.ts";

export async function sendResult(response: ServerResponse, result: unknown): Promise<void> {
  if (result instanceof ChangeStream) return sendChanges(response, result);
  if (!(result instanceof Download)) return sendText(response, 200, encodeTagged(result));
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": result.bytes });
  // A failure cuts the connection, which the reader notices; a reader that disconnects is not a failure.
  await pipeline(Readable.fromWeb(result.stream as Parameters<typeof Readable.fromWeb>[0]), response).catch(() => {});
}

const notification = optional(list(key));

/**
 * Sends a line for each notification until the connection ends. A slow reader gets one line for all notifications that
 * it missed.
 */
async function sendChanges(response: ServerResponse, { watch }: ChangeStream): Promise<void> {
  // Its "close" event has already fired.
  if (response.destroyed) return;
  const ending = new AbortController();
  let hasMissed = false;
  const send = (keys: readonly Key[] | undefined): void => {
    if (response.writableNeedDrain) hasMissed = true;
    else response.write(`${encodeTagged(notification.write(keys && [...keys]))}\n`);
  };
  response.on("drain", () => {
    if (!hasMissed) return;
    hasMissed = false;
    send(undefined);
  });
  response.writeHead(200, { "content-type": "application/jsonl" });
  watch(send, ending.signal);
  send(undefined);
  await new Promise<void>((resolve) => response.once("close", resolve));
  ending.abort();
}

/** Sends a failure; returns true if it can be the caller's fault. */
export function sendFailure(response: ServerResponse, error: unknown): boolean {
  const { status, failure } = failureOf(error);
  sendText(response, status, JSON.stringify(failure));
  return status !== 500;
}

function failureOf(error: unknown): { readonly status: number; readonly failure: Failure } {
  if (error instanceof PlatformError) {
    const { code, message, subject } = error;
    return {
      status: code === "denied" ? 403 : 409,
      failure: { code, message, ...(subject !== undefined && { subject }) },
    };
  }
  if (error instanceof Malformed) return { status: 400, failure: { message: error.message } };
  return { status: 500, failure: { message: "the platform failed; its log says why" } };
}

function sendText(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
}
