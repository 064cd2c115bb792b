import type { IncomingMessage } from "node:http";
import { isA } from "../../../lib/thrown.ts";
import { PlatformError } from "../../errors.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type { CloudClient } from "../rest/client.ts";

/** Bytes of one content of an object. */
export interface Part {
  /** The object's path in the API. */
  readonly path: string;
  readonly generation: string;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** How often a download that breaks off is taken up again without that a byte came. */
const vainAttempts = 3;

/**
 * The bytes of a part, asked for when they are first read. Where the connection breaks off, the rest is asked for: it is the same
 * content, whatever was written since.
 */
export function download(client: CloudClient, range: Part): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(new Download(client, range), { highWaterMark: 0 });
}

class Download {
  readonly #client: CloudClient;
  readonly #range: Part;
  readonly #over: AbortController = new AbortController();
  #at: number;
  #body: IncomingMessage | undefined;
  #bytes: AsyncIterator<Buffer> | undefined;
  #vain = 0;

  constructor(client: CloudClient, range: Part) {
    this.#client = client;
    this.#range = range;
    this.#at = range.start;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> {
    if (this.#at < this.#range.end) controller.enqueue(await this.#next());
    if (this.#at < this.#range.end) return;
    this.#body?.resume();
    controller.close();
  }

  cancel(): void {
    this.#over.abort(new Error("nobody reads the object any more"));
    this.#body?.destroy();
  }

  async #next(): Promise<Uint8Array> {
    for (;;) {
      this.#bytes ??= await this.#open();
      try {
        const { value, done } = await this.#bytes.next();
        if (done) throw new Error("the object store sent less than it has");
        return this.#came(value);
      } catch (error) {
        this.#bytes = undefined;
        if (this.#over.signal.aborted || ++this.#vain > vainAttempts) throw error;
      }
    }
  }

  #came(bytes: Buffer): Uint8Array {
    const wanted = bytes.subarray(0, this.#range.end - this.#at);
    this.#at += wanted.byteLength;
    this.#vain = 0;
    return wanted;
  }

  async #open(): Promise<AsyncIterator<Buffer>> {
    const { path, generation, end } = this.#range;
    try {
      const { body } = await this.#client.open({
        api: "storage",
        method: "GET",
        path,
        query: { alt: "media", generation },
        // The bytes as they are kept: what somebody stored compressed is not to become longer than it is said to be.
        headers: { range: `bytes=${this.#at}-${end - 1}`, "accept-encoding": "gzip" },
        signal: this.#over.signal,
      });
      this.#body = body;
      return body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    } catch (error) {
      if (!isA(error, CloudError) || error.status !== 404) throw error;
      throw new PlatformError(
        "conflict",
        "an object was replaced or deleted before it was read, and its bucket keeps no earlier versions",
        path,
      );
    }
  }
}
