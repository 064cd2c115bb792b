import type { IncomingMessage } from "node:http";
import { pulled } from "../../../lib/pulled.ts";

/**
 * Streams a response with backpressure. Sends the request at the first read; cancelling the stream closes its
 * connection. Keeps `holder` reachable.
 */
export function downloadStream(ask: () => Promise<IncomingMessage>, holder: object): ReadableStream<Uint8Array> {
  let answer: Promise<IncomingMessage> | undefined;
  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    answer = ask();
    yield* await answer;
  }
  const cancel = async (): Promise<void> => void (await answer?.catch(() => undefined))?.destroy();
  return pulled(bytes(), { cancel, holder });
}
