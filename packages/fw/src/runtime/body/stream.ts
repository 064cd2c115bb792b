import type { Body, Exchange } from "../exchange/exchange.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { askForBody, Disconnected } from "./body.ts";

/** The number of bytes of a body to buffer. */
const waitingBytes = 256 * 1024;

/** Streams the body of a request; sends 100-continue to a client that waits for it. */
export function bodyStream(exchange: Exchange): ReadableStream<Uint8Array> {
  // Node may never emit the end of an empty body.
  if (announcedBytes(exchange) === 0) return new ReadableStream({ start: (controller) => controller.close() });
  askForBody(exchange);
  return streamOf(exchange);
}

/**
 * Streams a body at the reader's pace. If the client disconnects before the end, the stream fails with a Disconnected
 * error. After a cancellation, the rest stays unread.
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
