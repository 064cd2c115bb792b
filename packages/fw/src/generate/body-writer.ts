import type { Schema, TypeTable } from "../model/schema.ts";

export type Of<Kind extends Schema["kind"]> = Extract<Schema, { kind: Kind }>;

/** What the lines of one decoder need of the others. */
export interface BodyWriter {
  readonly types: TypeTable;
  /** The name of the function that decodes `schema`, written on first use. */
  decoder(schema: Schema): string;
  /** The union of some schemas, the same object for the same ones: recursive types come back to it. */
  anyOf(schemas: readonly Schema[]): Schema;
  /** The condition under which `value` is of the schema as it stands; undefined where it has to be decoded. */
  test(schema: Schema, value: string): string | undefined;
  /** The schema in words, as a string literal. */
  words(schema: Schema): string;
  /** A name for a function that `define` writes. */
  declare(): string;
  define(name: string, lines: readonly string[]): string;
  /** A value that is kept between calls. */
  keep(name: string, value: string): void;
}

/** Leaves the function for what is no object. */
export function notObject(words: string): string {
  return `  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, ${words});`;
}
