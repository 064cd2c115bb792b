import type { TypeTable } from "../model/schema.ts";
import { bodyDecoder, type BodyDecoder } from "./body-decoder.ts";

/** The decoders of one module: those of values that hold an `Int64`, and those that may read numbers as JSON.parse does. */
export interface Decoders {
  readonly plain: BodyDecoder;
  readonly exact: BodyDecoder;
}

export function decodersOf(types: TypeTable): Decoders {
  return { plain: bodyDecoder(types, false, "d"), exact: bodyDecoder(types, true, "x") };
}

/** The functions that the decoders asked for so far consist of. */
export function functionsOf({ plain, exact }: Decoders): readonly string[] {
  return [...plain.functions, ...exact.functions];
}

/** A function that decodes a value or refuses it; where there is no decoder, one that answers nothing whatever it gets. */
export function decodeFunction(name: string, decoder: string | undefined): string {
  if (decoder === undefined) return `function ${name}() {}`;
  return [
    `function ${name}(v) {`,
    `  const value = ${decoder}(v, 0);`,
    "  return value === undefined ? refuse() : value;",
    "}",
  ].join("\n");
}
