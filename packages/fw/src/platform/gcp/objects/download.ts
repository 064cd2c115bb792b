import type { IncomingMessage } from "node:http";
import { pulled } from "../../../lib/pulled.ts";
import { isA } from "../../../lib/thrown.ts";
import { PlatformError } from "../../errors.ts";
import { CloudError } from "../rest/cloud-error.ts";
import type { CloudClient } from "../rest/client.ts";

/** A range of bytes of one version of an object. */
export interface ObjectRange {
  readonly path: string;
  readonly generation: string;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Maximum number of consecutive attempts to resume a broken download without receiving a byte. */
const maxFailedAttempts = 3;

/**
 * Streams a range lazily. If the connection breaks, it requests the rest. The generation guarantees the same content,
 * even if the object was overwritten in the meantime.
 */
export function download(client: CloudClient, part: ObjectRange): ReadableStream<Uint8Array> {
  const over = new AbortController();
  const cancel = (): void => over.abort(new Error("the reader has cancelled the stream"));
  return pulled(bytesOf(client, part, over.signal), { cancel });
}

async function* bytesOf(client: CloudClient, part: ObjectRange, over: AbortSignal): AsyncGenerator<Uint8Array, void> {
  let { start } = part;
  for (let failures = 0; start < part.end;) {
    const body = await open(client, { ...part, start }, over);
    try {
      let last: Buffer | undefined;
      for await (const bytes of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        const chunk = bytes.subarray(0, part.end - start);
        start += chunk.byteLength;
        failures = 0;
        if (start >= part.end) {
          last = chunk;
          break;
        }
        yield chunk;
      }
      // Frees the connection before the consumer has read the last bytes.
      body.resume();
      if (last === undefined) throw new Error("the object store sent fewer bytes than the object has");
      yield last;
    } catch (error) {
      if (over.aborted || ++failures > maxFailedAttempts) throw error;
    }
  }
}

async function open(
  client: CloudClient,
  { path, generation, start, end }: ObjectRange,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    const { body } = await client.open({
      api: "storage",
      method: "GET",
      path,
      query: { alt: "media", generation },
      // Requests the bytes as stored: a gzipped object that is decompressed in transit would exceed its declared size.
      headers: { range: `bytes=${start}-${end - 1}`, "accept-encoding": "gzip" },
      signal,
    });
    return body;
  } catch (error) {
    if (!isA(error, CloudError) || error.status !== 404) throw error;
    throw new PlatformError(
      "conflict",
      "the object was replaced or deleted before it was read, and its bucket keeps no earlier versions",
      path,
    );
  }
}
