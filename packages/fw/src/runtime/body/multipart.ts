import { multipartBytes } from "../../lib/limits.ts";
import { BadInput } from "../decode/bad-input.ts";
import type { FormFields } from "../decode/raw-request.ts";
import type { Body, Headers } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import { Disconnected, tooLarge } from "./body.ts";
import { FormBuilder } from "./multipart/form-builder.ts";
import { readParameters } from "./multipart/parameters.ts";
import { streamOf } from "./stream.ts";
import { MultipartParser } from "./multipart/parser.ts";
import { sweepUploads } from "./multipart/temporary.ts";
import { UploadStore } from "./multipart/upload-store.ts";

let swept: Promise<void> | undefined;

/** A form and the resources it holds. */
export interface ReadForm {
  readonly form: FormFields;
  /**
   * Frees memory and the temporary file. Call it after the response, successful or not. Never rejects; repeated calls
   * do nothing.
   */
  dispose(): Promise<void>;
}

/** The source of a form: a request, or a substitute for one. */
export type MultipartSource = Headers & Body;

/**
 * Reads a multipart/form-data body. Rejects with a StatusError (400 malformed, 413 too large), or with Disconnected,
 * and then leaves no file behind. After a rejection the rest of the body is unread, so the connection must be closed.
 * `limit` is the maximum size of the whole body.
 */
export async function readMultipart(source: MultipartSource, limit: number = multipartBytes): Promise<ReadForm> {
  const boundary = boundaryOf(source.header("content-type") ?? "");
  if (Number(source.header("content-length") ?? 0) > limit) throw tooLarge(limit);
  // Only processes that receive uploads remove the files of crashed processes.
  swept ??= sweepUploads();
  const store = new UploadStore();
  try {
    const builder = new FormBuilder(store);
    await readBody(source, new MultipartParser(boundary, builder), store, limit);
    return { form: builder.form, dispose: () => store.dispose() };
  } catch (error) {
    await store.dispose();
    throw error;
  }
}

async function readBody(
  source: MultipartSource,
  parser: MultipartParser,
  store: UploadStore,
  limit: number,
): Promise<void> {
  let size = 0;
  for await (const bytes of streamOf(source)) {
    size += bytes.byteLength;
    if (size > limit) throw tooLarge(limit);
    parser.write(bytes as Buffer);
    await store.settle();
  }
  parser.end();
  await store.finish();
  // The connection is already closed: waiting for its close event before the disposal would hang.
  if (!source.isOpen) throw new Disconnected();
}

/** Returns the boundary of a Content-Type: 1 to 70 printable characters that do not end in a space. */
function boundaryOf(contentType: string): string {
  const kind = /^multipart\/form-data(?=[ \t]*(?:;|$))/i.exec(contentType)?.[0];
  const boundary = kind === undefined ? undefined : readParameters(contentType, kind.length)?.get("boundary");
  if (boundary !== undefined && /^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)) return boundary;
  throw new BadInput(messages.multipart("its Content-Type has no valid boundary"));
}
