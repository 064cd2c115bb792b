import type { Request } from "../request.ts";
import { announcedBytes, askForBody, Disconnected } from "./body.ts";

/** Bytes of a body that may wait to be taken. */
const waitingBytes = 256 * 1024;

/**
 * The body as it comes in, at the pace of whoever reads it. Fails with Disconnected when the client goes away before its end;
 * what is left of a stream that is cancelled stays unread.
 */
export function bodyStream(request: Request): ReadableStream<Uint8Array> {
  // Where there is no body node may never tell of its end.
  if (announcedBytes(request) === 0) return new ReadableStream({ start: (controller) => controller.close() });
  askForBody(request);
  const { req } = request;
  let over = false;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        req.on("data", (chunk: Buffer) => {
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) req.pause();
        });
        req.on("end", () => {
          if (!over) controller.close();
        });
        req.on("error", () => controller.error(new Disconnected("the client went away before its body had come")));
      },
      pull: () => void req.resume(),
      cancel() {
        over = true;
        req.removeAllListeners("data").pause();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: waitingBytes }),
  );
}
