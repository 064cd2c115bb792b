import { createHash } from "node:crypto";
import { etagOf } from "../../../local/objects-files.ts";
import type { StoredFile } from "../../../stored-object.ts";
import type { S3Client, S3Stream } from "./client.ts";
import { S3Error, strangeAnswer } from "./error.ts";

/** The maximum number of consecutive failures without a byte in between. */
const maxFailures = 4;

/**
 * Yields the bytes of a file from `start` to `end` (exclusive). Continues where a response broke off, and never yields
 * bytes outside the range. A whole file must have the hash in its row. The signal ends the download, even while it
 * waits for bytes.
 */
export async function* download(
  client: S3Client,
  { file, facts }: StoredFile,
  { start, end }: { readonly start: number; readonly end: number },
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const hash = start === 0 && end === facts.size ? createHash("sha256") : undefined;
  let failures = 0;
  for (let at = start; at < end;) {
    const answer = await openRange(client, file, { at, end, size: facts.size, signal });
    signal.addEventListener("abort", answer.cancel, { once: true });
    const reader = answer.body.getReader();
    try {
      for (;;) {
        const { done, value } = await inTime(reader, answer.cancel, client.silenceMs);
        if (done) break;
        if (at + value.byteLength > end) throw strangeAnswer("GET", "more bytes than asked for");
        at += value.byteLength;
        failures = 0;
        hash?.update(value);
        yield value;
      }
      if (at < end) throw strangeAnswer("GET", `the answer ends ${end - at} bytes early`);
    } catch (error) {
      signal.throwIfAborted();
      if (++failures > maxFailures) throw error instanceof S3Error ? error : new S3Error("GET", 0, "NoAnswer", "");
    } finally {
      signal.removeEventListener("abort", answer.cancel);
      // Runs even if the consumer stops reading.
      answer.cancel();
    }
  }
  if (hash !== undefined && etagOf(hash) !== facts.etag)
    throw new S3Error("GET", 200, "OtherBytes", `${file} has other bytes than those that were written`);
}

interface Range {
  readonly at: number;
  /** Exclusive. */
  readonly end: number;
  readonly size: number;
  readonly signal: AbortSignal;
}

function openRange(client: S3Client, file: string, { at, end, size, signal }: Range): Promise<S3Stream> {
  const expected = `bytes ${at}-${end - 1}/${size}`;
  return client.open({ method: "GET", file, headers: { range: `bytes=${at}-${end - 1}` }, signal }, (headers) => {
    const encoding = headers.get("content-encoding") ?? "identity";
    if (encoding !== "identity") return `bytes with the encoding ${encoding}`;
    const range = headers.get("content-range");
    return range === expected ? undefined : `the range ${range ?? "of everything"} instead of ${expected}`;
  });
}

/** Reads a chunk; ends the connection if it does not arrive in time. The consumer's own time does not count. */
async function inTime(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  cancel: () => void,
  silenceMs: number,
): ReturnType<ReadableStreamDefaultReader<Uint8Array>["read"]> {
  const timer = setTimeout(cancel, silenceMs);
  try {
    return await reader.read();
  } finally {
    clearTimeout(timer);
  }
}
