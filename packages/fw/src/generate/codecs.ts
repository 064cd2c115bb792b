import type { Schema, TypeTable } from "../model/schema.ts";
import { BodyDecoder } from "./body-decoder.ts";
import { Encoder } from "./encoder.ts";
import { LimitConstants } from "./limit-constants.ts";
import { ProblemChecks } from "./problem-checks.ts";
import { hasLimits, holds } from "./schema-queries.ts";
import { runtimeImports } from "./runtime-imports.ts";

/** The decoders and encoders of one generated module, generated on demand. */
export class Codecs {
  readonly limits: LimitConstants = new LimitConstants();
  /** Functions that call decoders and encoders. */
  readonly functions: string[] = [];
  readonly #types: TypeTable;
  readonly #encoder: Encoder;
  readonly #checking: Readonly<Record<"plain" | "exact", BodyDecoder>>;
  readonly #problems: Readonly<Record<"plain" | "exact", ProblemChecks>>;
  readonly #loose: Readonly<Record<"plain" | "exact", BodyDecoder>>;

  constructor(types: TypeTable) {
    this.#types = types;
    this.#encoder = new Encoder(types);
    const decoder = (prefix: string, exact: boolean, checks: boolean): BodyDecoder =>
      new BodyDecoder(types, { exact, checks, prefix, limits: this.limits });
    this.#checking = { plain: decoder("d", false, true), exact: decoder("x", true, true) };
    this.#problems = {
      plain: new ProblemChecks(this.#checking.plain, "p", this.limits),
      exact: new ProblemChecks(this.#checking.exact, "q", this.limits),
    };
    this.#loose = { plain: decoder("l", false, false), exact: decoder("m", true, false) };
  }

  /** True if one of the schemas contains an `Int64`, which JSON.parse would round. */
  isExact(schemas: readonly Schema[]): boolean {
    return schemas.some((schema) => holds(schema, "int64", this.#types));
  }

  hasLimits(schemas: readonly Schema[]): boolean {
    return schemas.some((schema) => hasLimits(schema, this.#types));
  }

  /** Returns the decoder for input from outside; the schemas are parsed together. */
  decoder(schemas: readonly Schema[]): BodyDecoder {
    return this.#checking[this.isExact(schemas) ? "exact" : "plain"];
  }

  /** Returns the functions that list every problem of a value that the `decoder` for the same schemas refuses. */
  problems(schemas: readonly Schema[]): ProblemChecks {
    return this.#problems[this.isExact(schemas) ? "exact" : "plain"];
  }

  /** Returns the decoder for data from the application itself: responses and messages. It checks no limits. */
  trustedDecoder(schemas: readonly Schema[]): BodyDecoder {
    if (!this.hasLimits(schemas)) return this.decoder(schemas);
    return this.#loose[this.isExact(schemas) ? "exact" : "plain"];
  }

  /** Returns an expression for a function that encodes values of the schema; undefined if JSON.stringify suffices. */
  encoder(schema: Schema): string | undefined {
    return this.#encoder.encoder(schema);
  }

  /** Generates a function that decodes a value or throws; without a decoder, one that returns undefined. */
  decode(name: string, decoder: string | undefined): void {
    const lines = [`  const value = ${decoder}(v, 0);`, "  return value === undefined ? refuse() : value;"];
    this.functions.push(
      decoder === undefined ? `function ${name}() {}` : [`function ${name}(v) {`, ...lines, "}"].join("\n"),
    );
  }

  /** Joins the code of all functions, followed by `last`. */
  code(last: readonly string[]): string {
    const decoders = [this.#checking, this.#problems, this.#loose].flatMap(({ plain, exact }) => [plain, exact]);
    const allFunctions = [...decoders, this.#encoder].flatMap(({ functions }) => functions);
    return [...this.limits.lines, ...allFunctions, ...this.functions, ...last, ""].join("\n");
  }

  /** Generates a module that exports `last`. */
  module(last: readonly string[], imports: readonly string[]): string {
    const code = this.code(last);
    return [...runtimeImports(code), ...imports, code].join("\n");
  }
}
