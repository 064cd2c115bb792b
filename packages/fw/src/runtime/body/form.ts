import { isUtf8 } from "node:buffer";
import { StatusError } from "../../declare/errors.ts";
import { append } from "../../lib/grouped.ts";
import { formBytes } from "../../lib/limits.ts";
import type { Exchange } from "../exchange/exchange.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { BadInput } from "../decode/bad-input.ts";
import type { FormFields } from "../decode/raw-request.ts";
import { messages } from "../error-messages.ts";
import { askForBody, isUTF8, mediaType, readBody } from "./body.ts";
import { readMultipart, type ReadForm } from "./multipart.ts";

/** Limit: fields of a URL-encoded form. */
const formFields = 1000;

const urlencoded = "application/x-www-form-urlencoded";
const nothing = async (): Promise<void> => {};

/**
 * Reads a form of either encoding. A request without a body counts as an empty form. With `files`, any other form must
 * be multipart. Rejects with Disconnected or a StatusError: 415 for another type, 413 above a limit, 400 for a
 * malformed body or too many URL-encoded fields. `limit` replaces the default maximum number of bytes.
 */
export async function readForm(exchange: Exchange, files: boolean, limit?: number): Promise<ReadForm> {
  const contentType = exchange.header("content-type");
  const type = mediaType(contentType);
  if (type === "multipart/form-data") {
    askForBody(exchange);
    return readMultipart(exchange, limit);
  }
  if (type === "" && announcedBytes(exchange) === 0) return { form: parseForm(""), dispose: nothing };
  if (files) throw new StatusError(415, messages.wantsMultipart);
  if (type !== urlencoded || !isUTF8(contentType ?? "")) throw new StatusError(415, messages.wantsForm);
  const body = await readBody(exchange, limit ?? formBytes);
  return { form: parseForm(body.toString("latin1")), dispose: nothing };
}

/** True for a form of either encoding. */
export function isForm(exchange: Exchange): boolean {
  const type = mediaType(exchange.header("content-type"));
  return type === urlencoded || type === "multipart/form-data";
}

/** Parses URL-encoded text whose characters represent bytes. Throws a BadInput. */
export function parseForm(text: string): FormFields {
  const values = new Map<string, string[]>();
  let fields = 0;
  for (let start = 0; start < text.length;) {
    const next = text.indexOf("&", start);
    const end = next === -1 ? text.length : next;
    if (end > start) {
      if (++fields > formFields) throw new BadInput(messages.formFields(formFields));
      addField(values, text.slice(start, end));
    }
    start = end + 1;
  }
  return { values, files: new Map() };
}

function addField(values: Map<string, string[]>, field: string): void {
  const equals = field.indexOf("=");
  const name = unescaped(equals === -1 ? field : field.slice(0, equals));
  const value = equals === -1 ? "" : unescaped(field.slice(equals + 1));
  append(values, name, value);
}

const special = /[%+\x80-\xff]/;

function unescaped(text: string): string {
  if (!special.test(text)) return text;
  const bytes = unescapedBytes(Buffer.from(text, "latin1"));
  if (bytes === undefined || !isUtf8(bytes)) throw new BadInput(messages.formEncoding);
  return bytes.toString();
}

/** Decodes escapes in place. Returns undefined for a malformed escape. */
function unescapedBytes(bytes: Buffer): Buffer | undefined {
  let length = 0;
  for (let i = 0; i < bytes.length; i++) {
    let byte = bytes[i] as number;
    if (byte === 0x2b) byte = 0x20;
    else if (byte === 0x25) {
      byte = 16 * hexDigit(bytes[++i]) + hexDigit(bytes[++i]);
      if (Number.isNaN(byte)) return undefined;
    }
    bytes[length++] = byte;
  }
  return bytes.subarray(0, length);
}

/** Decodes one hexadecimal digit. Returns NaN for any other byte. */
function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return Number.NaN;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}
