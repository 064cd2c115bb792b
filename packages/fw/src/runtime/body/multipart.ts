import { multipartBytes } from "../../lib/limits.ts";
import { BadInput } from "../decode/bad-input.ts";
import type { FormFields } from "../decode/raw-request.ts";
import type { Body, Headers } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import { Disconnected, tooLarge } from "./body.ts";
import { readParameters } from "./multipart/parameters.ts";
import { streamOf } from "./stream.ts";
import { MultipartParser, type PartSink } from "./multipart/parser.ts";
import { sweepUploads } from "./multipart/temporary.ts";
import { UploadStore, type StoredPart } from "./multipart/upload-store.ts";
import { append } from "../../lib/grouped.ts";
import type { Blob } from "../../declare/blob.ts";
import { Errorf } from "../../declare/errors.ts";
import { visible } from "../../lib/visible.ts";
import { Blocks } from "./multipart/blocks.ts";
import { type PartHeader, readPartHeader } from "./multipart/part-header.ts";

let swept: Promise<void> | undefined;

export interface ReadForm {
  readonly form: FormFields;
  /**
   * Frees the memory and the temporary file. Call this after the response, whether or not it succeeded. Never rejects.
   * Repeated calls are no-ops.
   */
  dispose(): Promise<void>;
}

/** The source of a form: a request or a substitute for one. */
export type MultipartSource = Headers & Body;

/**
 * Reads a multipart/form-data body. Rejects with a StatusError (400 if malformed, 413 if too large) or with
 * Disconnected, leaving no file behind. After a rejection, the rest of the body is unread, so the connection must be
 * closed. `limit` is the maximum size of the whole body.
 */
export async function readMultipart(source: MultipartSource, limit: number = multipartBytes): Promise<ReadForm> {
  const boundary = boundaryOf(source.header("content-type") ?? "");
  if (Number(source.header("content-length") ?? 0) > limit) throw tooLarge(limit);
  // Only processes that receive uploads remove the files left by crashed processes.
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
  // The connection is already closed, so waiting for its close event before disposing would hang.
  if (!source.isOpen) throw new Disconnected();
}

/** Returns the boundary of a Content-Type: 1 to 70 printable characters that do not end in a space. */
function boundaryOf(contentType: string): string {
  const kind = /^multipart\/form-data(?=[ \t]*(?:;|$))/i.exec(contentType)?.[0];
  const boundary = kind === undefined ? undefined : readParameters(contentType, kind.length)?.get("boundary");
  if (boundary !== undefined && /^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary)) return boundary;
  throw new BadInput(messages.multipart("its Content-Type has no valid boundary"));
}

/** Limit: parts of one multipart body. */
const multipartParts = 1000;

/** Limit: bytes of one text field of a form. */
const formValueBytes = 1 * 1024 * 1024;

/** Limit: bytes of all text fields of a form together. */
const formValuesBytes = 4 * 1024 * 1024;

/** Builds a form from the parts that a parser finds, within the form limits. */
export class FormBuilder implements PartSink {
  readonly #store: UploadStore;
  readonly #values = new Map<string, string[]>();
  readonly #files = new Map<string, Blob[]>();
  #parts = 0;
  #valueBytes = 0;
  #header: PartHeader = { name: "", fileName: undefined, type: "" };
  #file: StoredPart | undefined;
  #text = new Blocks();

  constructor(store: UploadStore) {
    this.#store = store;
  }

  get form(): FormFields {
    return { values: this.#values, files: this.#files };
  }

  header(lines: Buffer): void {
    if (++this.#parts > multipartParts) throw Errorf(413, messages.formParts(multipartParts));
    this.#header = readPartHeader(lines);
    this.#file = this.#header.fileName === undefined ? undefined : this.#store.begin();
    this.#text.clear();
  }

  data(bytes: Buffer): void {
    if (this.#file !== undefined) return this.#store.append(bytes);
    this.#valueBytes += bytes.byteLength;
    const size = this.#text.size + bytes.byteLength;
    if (size > formValueBytes) throw Errorf(413, messages.formValue(visible(this.#header.name), formValueBytes));
    if (this.#valueBytes > formValuesBytes) throw Errorf(413, messages.formValues(formValuesBytes));
    return this.#text.append(bytes);
  }

  end(): void {
    const { name } = this.#header;
    if (this.#file === undefined) append(this.#values, name, decoded(this.#text));
    // Browsers submit an empty file input as a file without a name or content.
    else if (this.#header.fileName !== "" || this.#file.size > 0)
      append(this.#files, name, fileBlob(this.#header, this.#file));
  }
}

function decoded(text: Blocks): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(text.all()));
  } catch {
    throw new BadInput(messages.formEncoding);
  }
}

/** Creates a Blob for an uploaded file. It can be read repeatedly and from an offset. */
function fileBlob({ type, fileName = "" }: PartHeader, part: StoredPart): Blob {
  return slice(part, type, fileName, 0, part.size);
}

function slice(part: StoredPart, type: string, name: string, start: number, end: number): Blob {
  const blob = {
    type,
    name,
    size: end - start,
    stream: () => part.read(start, end),
    slice: (from: number, to: number) => slice(part, type, name, start + from, Math.min(end, start + to)),
  };
  return Object.freeze(blob);
}
