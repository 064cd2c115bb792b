import { append } from "../../../lib/grouped.ts";
import type { Blob } from "../../../declare/blob.ts";
import { Errorf } from "../../../declare/errors.ts";
import { visible } from "../../../lib/visible.ts";
import { BadInput } from "../../decode/bad-input.ts";
import type { FormFields } from "../../decode/raw-request.ts";
import { messages } from "../../error-messages.ts";
import { Blocks } from "./blocks.ts";
import type { PartSink } from "./parser.ts";
import { type PartHeader, readPartHeader } from "./part-header.ts";
import type { StoredPart, UploadStore } from "./upload-store.ts";

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
    // Browsers send an empty file input as a file without a name or bytes.
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

/** Creates a Blob for an uploaded file. It can be read several times and from an offset. */
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
