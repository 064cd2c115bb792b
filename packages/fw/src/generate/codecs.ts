import type { Schema, TypeTable } from "../model/schema.ts";
import { BodyDecoder } from "./body-decoder.ts";
import { Encoder } from "./encoder.ts";
import { KeptLimits } from "./kept-limits.ts";
import { ProblemChecks } from "./problem-checks.ts";
import { hasLimits, holds } from "./reach.ts";
import { runtimeImports } from "./runtime-imports.ts";

/** The functions of one generated module: those that read and write values, each written when it is asked for, and what is made of them. */
export class Codecs {
  readonly limits: KeptLimits = new KeptLimits();
  /** What is made of decoders and encoders. */
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

  /** True where one of them holds an `Int64`: then none of their numbers may be read as JSON.parse does. */
  isExact(schemas: readonly Schema[]): boolean {
    return schemas.some((schema) => holds(schema, "int64", this.#types));
  }

  hasLimits(schemas: readonly Schema[]): boolean {
    return schemas.some((schema) => hasLimits(schema, this.#types));
  }

  /** The decoder of what is sent to the application, where these are read together. */
  decoder(schemas: readonly Schema[]): BodyDecoder {
    return this.#checking[this.isExact(schemas) ? "exact" : "plain"];
  }

  /** The functions that look for every problem of what `decoder` of the same schemas refuses. */
  problems(schemas: readonly Schema[]): ProblemChecks {
    return this.#problems[this.isExact(schemas) ? "exact" : "plain"];
  }

  /** The decoder of what the application itself has made, answers and messages, which is held to no limits. */
  ownDecoder(schemas: readonly Schema[]): BodyDecoder {
    if (!this.hasLimits(schemas)) return this.decoder(schemas);
    return this.#loose[this.isExact(schemas) ? "exact" : "plain"];
  }

  /** The expression of a function that encodes values of the schema; undefined where JSON.stringify is right. */
  encoder(schema: Schema): string | undefined {
    return this.#encoder.encoder(schema);
  }

  /** Writes a function that decodes a value or refuses it; where there is no decoder, one that answers nothing whatever it gets. */
  decode(name: string, decoder: string | undefined): void {
    const lines = [`  const value = ${decoder}(v, 0);`, "  return value === undefined ? refuse() : value;"];
    this.functions.push(
      decoder === undefined ? `function ${name}() {}` : [`function ${name}(v) {`, ...lines, "}"].join("\n"),
    );
  }

  /** The functions so far, and what is made of them last. */
  code(last: readonly string[]): string {
    const decoders = [this.#checking, this.#problems, this.#loose].flatMap(({ plain, exact }) => [plain, exact]);
    const written = [...decoders, this.#encoder].flatMap(({ functions }) => functions);
    return [...this.limits.lines, ...written, ...this.functions, ...last, ""].join("\n");
  }

  /** The text of the module that exports `last`. */
  module(last: readonly string[], imports: readonly string[]): string {
    const code = this.code(last);
    return [...runtimeImports(code), ...imports, code].join("\n");
  }
}
