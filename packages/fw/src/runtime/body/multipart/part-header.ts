import { decodedExactly } from "../../../lib/percent.ts";
import { BadInput } from "../../decode/bad-input.ts";
import { messages } from "../../error-messages.ts";
import { readParameters } from "./parameters.ts";

/** Limit: bytes of a form field's name. */
const formNameBytes = 200;

export interface PartHeader {
  readonly name: string;
  /** The file's name without its path; undefined for a text field. */
  readonly fileName: string | undefined;
  /** The content type; "" if the part has none. */
  readonly type: string;
}

const headerLine = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\0\r\n]*)$/;
const fileNameCharacters = 200;

const plainEncodings: readonly string[] = ["7bit", "8bit", "binary"];

/** Parses a part's header: lines, each after a CRLF. Throws a BadInput. */
export function readPartHeader(lines: Buffer): PartHeader {
  const fields = headerFields(lines.toString("utf8"));
  const disposition = fields.get("content-disposition");
  if (disposition === undefined) throw malformed("a part has no Content-Disposition");
  const encoding = fields.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!plainEncodings.includes(encoding)) throw malformed("a part has a Content-Transfer-Encoding");
  return { ...readDisposition(disposition), type: readType(fields.get("content-type") ?? "") };
}

function headerFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.split("\r\n").slice(1)) {
    const [, name = "", value = ""] = headerLine.exec(line) ?? [];
    const key = name.toLowerCase();
    if (key === "") throw malformed("a part has a malformed header line");
    if (fields.has(key)) throw malformed("a part has a header twice");
    fields.set(key, value.trimEnd());
  }
  return fields;
}

function readDisposition(value: string): Pick<PartHeader, "name" | "fileName"> {
  const kind = /^form-data(?=[ \t]*(?:;|$))/i.exec(value)?.[0];
  const parameters = kind === undefined ? undefined : readParameters(value, kind.length);
  const nameValue = parameters?.get("name");
  if (parameters === undefined || nameValue === undefined)
    throw malformed("a part's Content-Disposition has no field name");
  const name = unescaped(nameValue);
  if (Buffer.byteLength(name) > formNameBytes) throw new BadInput(messages.formName(formNameBytes));
  const fileName = extended(parameters.get("filename*")) ?? parameters.get("filename");
  return { name, fileName: fileName === undefined ? undefined : baseName(unescaped(fileName)) };
}

/** Decodes the escapes of browsers, which percent-encode only quotes and line breaks. */
function unescaped(text: string): string {
  return text.replaceAll(/%(22|0d|0a)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Decodes an extended value such as `UTF-8''na%C3%AFve.txt` (RFC 8187). */
function extended(value: string | undefined): string | undefined {
  const encoded = value === undefined ? undefined : /^utf-8'[^']*'(.*)$/i.exec(value)?.[1];
  if (encoded === undefined) return undefined;
  const name = decodedExactly(encoded);
  if (name === undefined) throw malformed("a file's name is not valid percent-encoding");
  return name;
}

/**
 * Returns the last segment of a file name that may be a path, without control and direction characters, and shortened;
 * "" for `.` and `..`.
 */
function baseName(fileName: string): string {
  const last = fileName.split(/[/\\]/).at(-1) ?? "";
  const clean = last.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu, "");
  return clean === "." || clean === ".." ? "" : Array.from(clean).slice(0, fileNameCharacters).join("");
}

function readType(value: string): string {
  if (value === "") return "";
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+\/[!#$%&'*+.^_`|~0-9A-Za-z-]+(?:[ \t]*;[\x20-\x7e]*)?$/.test(value)
    ? value
    : "application/octet-stream";
}

function malformed(why: string): BadInput {
  return new BadInput(messages.multipart(why));
}
