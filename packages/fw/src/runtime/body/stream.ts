import type { Body, Exchange } from "../exchange/exchange.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { askForBody, Disconnected } from "./body.ts";

/** Bytes of a body that may wait to be taken. */
const waitingBytes = 256 * 1024;

/** The body that a request announces; the client that waits for it is asked to send it. */
export function bodyStream(exchange: Exchange): ReadableStream<Uint8Array> {
  // Where there is no body node may never tell of its end.
  if (announcedBytes(exchange) === 0) return new ReadableStream({ start: (controller) => controller.close() });
  askForBody(exchange);
  return streamOf(exchange);
}

/**
 * A body as it comes in, at the pace of whoever reads it. Fails with Disconnected when the client goes away before its end;
 * what is left of a stream that is cancelled stays unread.
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
