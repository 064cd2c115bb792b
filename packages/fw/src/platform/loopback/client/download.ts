import type { IncomingMessage } from "node:http";

/**
 * The bytes of an answer, at the reader's pace. They are asked for when they are first read; a stream that is cancelled
 * closes its connection. It keeps `holder` in use.
 */
export function downloaded(ask: () => Promise<IncomingMessage>, holder: object): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(new AnswerSource(ask, holder), { highWaterMark: 0 });
}

class AnswerSource {
  readonly #ask: () => Promise<IncomingMessage>;
  readonly holder: object;
  #answer: Promise<IncomingMessage> | undefined;
  #chunks: AsyncIterator<Uint8Array> | undefined;

  constructor(ask: () => Promise<IncomingMessage>, holder: object) {
    this.#ask = ask;
    this.holder = holder;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    this.#answer ??= this.#ask();
    this.#chunks ??= (await this.#answer)[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
    const { done, value } = await this.#chunks.next();
    if (done) controller.close();
    else controller.enqueue(value);
  }

  async cancel(): Promise<void> {
    (await this.#answer?.catch(() => undefined))?.destroy();
  }
}
