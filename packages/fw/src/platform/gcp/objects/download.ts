import type { IncomingMessage } from "node:http";
import { pulled } from "../../../lib/pulled.ts";
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
export function download(client: CloudClient, part: Part): ReadableStream<Uint8Array> {
  const over = new AbortController();
  const cancel = (): void => over.abort(new Error("nobody reads the object any more"));
  return pulled(bytesOf(client, part, over.signal), { cancel });
}

async function* bytesOf(client: CloudClient, part: Part, over: AbortSignal): AsyncGenerator<Uint8Array, void> {
  let { start } = part;
  for (let vain = 0; start < part.end;) {
    const body = await open(client, { ...part, start }, over);
    try {
      let last: Buffer | undefined;
      for await (const bytes of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        const wanted = bytes.subarray(0, part.end - start);
        start += wanted.byteLength;
        vain = 0;
        if (start >= part.end) {
          last = wanted;
          break;
        }
        yield wanted;
      }
      // The connection is free for others before the last bytes are taken.
      body.resume();
      if (last === undefined) throw new Error("the object store sent less than it has");
      yield last;
    } catch (error) {
      if (over.aborted || ++vain > vainAttempts) throw error;
    }
  }
}

async function open(
  client: CloudClient,
  { path, generation, start, end }: Part,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    const { body } = await client.open({
      api: "storage",
      method: "GET",
      path,
      query: { alt: "media", generation },
      // The bytes as they are kept: what somebody stored compressed is not to become longer than it is said to be.
      headers: { range: `bytes=${start}-${end - 1}`, "accept-encoding": "gzip" },
      signal,
    });
    return body;
  } catch (error) {
    if (!isA(error, CloudError) || error.status !== 404) throw error;
    throw new PlatformError(
      "conflict",
      "an object was replaced or deleted before it was read, and its bucket keeps no earlier versions",
      path,
    );
  }
}
