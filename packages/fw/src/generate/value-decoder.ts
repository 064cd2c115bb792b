import type { Schema, TypeTable } from "../model/schema.ts";
import { Codecs } from "./codecs.ts";
import { runtimeNames } from "./runtime-imports.ts";

/** A decoder for JSON values of one type, for code that has not loaded the application. */
export interface ValueDecoder {
  /**
   * The body of a function with the parameter `runtime` that returns the decoder, which throws a BadInput with all
   * problems.
   */
  readonly code: string;
  /** True if the JSON must be parsed with `parseExact`. */
  readonly exactIntegers: boolean;
}

export function valueDecoder(schema: Schema, types: TypeTable): ValueDecoder {
  const codecs = new Codecs(types);
  const check = codecs.problems([schema]).check(schema);
  codecs.decode("decode", codecs.decoder([schema]).decoder(schema));
  const code = codecs.code([
    "return (value) => {",
    "  try { return decode(value); }",
    `  catch (error) { throw whole400(error, value, [(v, p) => p.body(v, ${check})]); }`,
    "};",
  ]);
  return {
    code: [`"use strict";`, `const { ${runtimeNames(code).join(", ")} } = runtime;`, code].join("\n"),
    exactIntegers: codecs.isExact([schema]),
  };
}
