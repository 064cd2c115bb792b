import { StatusError } from "../declare/errors.ts";
import { BadInput } from "./bad-input.ts";
import { formBytes, formFields } from "../lib/limits.ts";
import { askForBody, isUTF8, mediaType, readBody } from "./body.ts";
import type { FormFields } from "./decode.ts";
import { messages } from "./messages.ts";
import { readMultipart } from "./multipart.ts";
import type { Request } from "./request.ts";

/** A form that was read. */
export interface ReadForm {
  readonly form: FormFields;
  /** Frees what the form's files occupy, once the response is over. */
  dispose(): void;
}

const urlencoded = "application/x-www-form-urlencoded";
const nothing = (): void => {};

/**
 * Reads a form of either encoding. Rejects with a StatusError: 415 for another type (or, with `files`, for a form that
 * cannot hold any), 413 beyond a limit, 400 for what is malformed.
 */
export async function readForm(request: Request, files: boolean): Promise<ReadForm> {
  const contentType = request.req.headers["content-type"];
  const type = mediaType(contentType);
  if (type === "multipart/form-data") return readParts(request);
  if (files) throw new StatusError(415, messages.wantsMultipart);
  if (type !== urlencoded || !isUTF8(contentType ?? "")) throw new StatusError(415, messages.wantsForm);
  const body = await readBody(request, formBytes);
  return { form: parseForm(body.toString("latin1")), dispose: nothing };
}

/** True for a body that is a form of either encoding. */
export function isForm(request: Request): boolean {
  const type = mediaType(request.req.headers["content-type"]);
  return type === urlencoded || type === "multipart/form-data";
}

async function readParts(request: Request): Promise<ReadForm> {
  askForBody(request);
  const { form, dispose } = await readMultipart(request.req);
  return { form, dispose: () => void dispose() };
}

/** The fields of urlencoded text, whose characters stand for bytes. Throws a BadInput. */
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
  const known = values.get(name);
  if (known === undefined) values.set(name, [value]);
  else known.push(value);
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(escapedBytes(text.replaceAll("+", " ")));
  } catch {
    throw new BadInput(messages.formEncoding);
  }
}

/** Writes bytes beyond ASCII as escapes, so that they are checked as UTF-8 together with those that came escaped. */
function escapedBytes(text: string): string {
  return text.replace(/[\x80-\xff]/g, (byte) => `%${byte.charCodeAt(0).toString(16)}`);
}
