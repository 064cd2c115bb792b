import type { IncomingMessage } from "node:http";
import { pulled } from "../../../lib/pulled.ts";

/**
 * The bytes of an answer, at the reader's pace. They are asked for when they are first read; a stream that is cancelled
 * closes its connection. It keeps `holder` in use.
 */
export function downloaded(ask: () => Promise<IncomingMessage>, holder: object): ReadableStream<Uint8Array> {
  let answer: Promise<IncomingMessage> | undefined;
  async function* bytes(): AsyncGenerator<Uint8Array, void> {
    answer = ask();
    yield* await answer;
  }
  const cancel = async (): Promise<void> => void (await answer?.catch(() => undefined))?.destroy();
  return pulled(bytes(), { cancel, holder });
}
