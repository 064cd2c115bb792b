import type { Body, Exchange } from "../exchange/exchange.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { askForBody, Disconnected } from "./body.ts";

/** The number of bytes to buffer while a body is streamed. */
const waitingBytes = 256 * 1024;

/** Streams a request's body. Sends 100-continue to a client that waits for it. Throws a 415 for an encoded body. */
export function bodyStream(exchange: Exchange): ReadableStream<Uint8Array> {
  // Node may never emit the end event for an empty body.
  if (announcedBytes(exchange) === 0) return new ReadableStream({ start: (controller) => controller.close() });
  askForBody(exchange);
  return streamOf(exchange);
}

/**
 * Streams a body as fast as the reader consumes it. If the client disconnects early, the stream fails with a
 * Disconnected error. After a cancellation, the rest is not read.
 */
export function streamOf(body: Body): ReadableStream<Uint8Array> {
  let over = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body.read({
          take(chunk) {
            if (over) return;
            controller.enqueue(chunk);
            if ((controller.desiredSize ?? 0) <= 0) body.pause();
          },
          end(whole) {
            if (over) return;
            if (whole) controller.close();
            else controller.error(new Disconnected());
          },
        });
      },
      pull: () => body.resume(),
      cancel() {
        over = true;
        body.pause();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: waitingBytes }),
  );
}
