import type { Blob } from "../../declare/blob.ts";
import { messages } from "../error-messages.ts";
import { BadInput, textIsNot } from "./bad-input.ts";
import { isOfPattern } from "./pattern.ts";
import type { FormFields } from "./raw-request.ts";

const int = /^-?\d{1,16}$/;
const int64 = /^-?\d{1,19}$/;
const number = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/;
const booleans: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  false: false,
  1: true,
  0: false,
  on: true,
  off: false,
};

/** Returns the value. Throws a BadInput if it is missing. */
export function required<T>(value: T | undefined, where: string): T {
  if (value === undefined) throw new BadInput(messages.required(where));
  return value;
}

/** Treats a blank form field as absent. */
export function unlessBlank(text: string | undefined): string | undefined {
  return text === "" ? undefined : text;
}

/** Parses a boolean: `true`, `1` or `on` (a checked checkbox) is true; `false`, `0` or `off` is false. */
export function toBoolean(text: string, where: string): boolean {
  const value = Object.hasOwn(booleans, text) ? booleans[text] : undefined;
  if (value === undefined) throw textIsNot(where, text, "boolean");
  return value;
}

/** Parses a safe integer in decimal digits. */
export function toInt(text: string, where: string): number {
  const value = int.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw textIsNot(where, text, "int");
  return value + 0;
}

/** Parses a 64-bit integer in decimal digits. */
export function toInt64(text: string, where: string): bigint {
  const value = int64.test(text) ? BigInt(text) : undefined;
  if (value === undefined || BigInt.asIntN(64, value) !== value) throw textIsNot(where, text, "int64");
  return value;
}

/** Parses a finite decimal number, with or without an exponent. */
export function toNumber(text: string, where: string): number {
  const value = number.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(value)) throw textIsNot(where, text, "number");
  return value;
}

/** Requires one of a union's literals. `type` is the union as text. */
export function oneOf(text: string, where: string, allowed: readonly string[], type: string): string {
  if (!allowed.includes(text)) throw textIsNot(where, text, type);
  return text;
}

/** Requires a match of a template literal type. `type` is that type as text. */
export function ofPattern(
  text: string,
  where: string,
  pattern: Parameters<typeof isOfPattern>[1],
  type: string,
): string {
  if (!isOfPattern(text, pattern)) throw textIsNot(where, text, type);
  return text;
}

/** Requires one of a union's numbers. `type` is the union as text. */
export function oneOfNumbers(text: string, where: string, allowed: readonly number[], type: string): number {
  const value = number.test(text) ? Number(text) : Number.NaN;
  if (!allowed.includes(value)) throw textIsNot(where, text, type);
  return value;
}

/** Returns the first value of a form field; undefined if there is none. */
export function formText(form: FormFields | undefined, name: string): string | undefined {
  return form?.values.get(name)?.[0];
}

/** Returns every value of a form field; undefined if there is none. */
export function formList(form: FormFields | undefined, name: string): string[] | undefined {
  const values = form?.values.get(name);
  return values === undefined ? undefined : [...values];
}

/** Returns the first file of a form field; undefined if there is none. Throws for text instead of a file. */
export function formFile(form: FormFields | undefined, name: string, where: string): Blob | undefined {
  const file = form?.files.get(name)?.[0];
  const text = unlessBlank(formText(form, name));
  if (file === undefined && text !== undefined) throw textIsNot(where, text, "file");
  return file;
}
