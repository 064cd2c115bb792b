import type { Schema, TypeTable } from "../model/schema.ts";
import { bodyDecoder, type BodyDecoder } from "./body-decoder.ts";
import { keptLimits, type KeptLimits } from "./kept-limits.ts";
import { hasLimits } from "./reach.ts";

/** The decoders of one module: those of values that hold an `Int64`, and those that may read numbers as JSON.parse does. */
export interface Decoders {
  readonly plain: BodyDecoder;
  readonly exact: BodyDecoder;
  /** The same without limits, for what the application itself has made: answers and messages. */
  readonly loose: { readonly plain: BodyDecoder; readonly exact: BodyDecoder };
  readonly limits: KeptLimits;
}

export function decodersOf(types: TypeTable): Decoders {
  const limits = keptLimits();
  const decoder = (prefix: string, exact: boolean, checks: boolean): BodyDecoder =>
    bodyDecoder(types, { exact, checks, prefix, limits });
  return {
    plain: decoder("d", false, true),
    exact: decoder("x", true, true),
    loose: { plain: decoder("l", false, false), exact: decoder("m", true, false) },
    limits,
  };
}

/** The decoders for what the application itself has made: those of requests serve where nothing has limits. */
export function looseOf(
  decoders: Decoders,
  schemas: readonly Schema[],
  types: TypeTable,
): Pick<Decoders, "plain" | "exact"> {
  return schemas.some((schema) => hasLimits(schema, types)) ? decoders.loose : decoders;
}

/** The functions that the decoders asked for so far consist of. */
export function functionsOf({ plain, exact, loose, limits }: Decoders): readonly string[] {
  return [...limits.lines, ...[plain, exact, loose.plain, loose.exact].flatMap(({ functions }) => functions)];
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
