import type { ReplyShape } from "../../model/reply-shape.ts";
import type { Schema } from "../../model/schema.ts";
import { spanOf } from "../source/position.ts";
import { NeedsChecker, questionKey, type TypeReading } from "./type-reading.ts";
import { typeProblem, type TypeProblem } from "./type-problem.ts";
import type { SourceRange, RefusalReason } from "./type.ts";

export type PendingQuestion = Pick<NeedsChecker, "question" | "form">;

/** The result of one attempt to read a type; provisional while it has questions. */
export interface Attempt<T> {
  readonly value: T;
  readonly replies?: readonly ReplyShape[];
  readonly refusals: readonly TypeProblem[];
  readonly questions: readonly PendingQuestion[];
}

/** Wraps a value as a result without problems or questions. */
export function resolved<T>(value: T): Attempt<T> {
  return { value, refusals: [], questions: [] };
}

/** The schema of a named type, converted once for the whole application. */
export interface WireType {
  /** A `ref`, or the schema itself if a name would add nothing. */
  readonly schema: Schema;
  readonly refusals: readonly TypeProblem[];
  readonly modules: readonly string[];
}

/** The state shared by all conversions from types to schemas. */
export interface SchemaConverter {
  readonly reading: TypeReading;
  /** The schemas behind refs, by id. */
  readonly table: Map<string, Schema>;
  readonly wireTypes: Map<string, WireType>;
  readonly recursive: Set<string>;
}

export interface Conversion {
  readonly wire: SchemaConverter;
  /** The named types being converted, outermost first. */
  readonly stack: NamedFrame[];
  readonly refusals: TypeProblem[];
  readonly questions: Map<string, PendingQuestion>;
  parts: number;
  questionCount: number;
}

export interface NamedFrame {
  readonly hasName: boolean;
  readonly id: string;
  recursive: boolean;
}

/** A position in a conversion. It is small, because every node of a type has one. */
export interface Pass {
  readonly run: Conversion;
  readonly depth: number;
  /** The range at which to report problems: the field, or the whole type. */
  readonly range: SourceRange;
}

/** Stands in for a schema that is missing or still unknown. */
export const placeholder: Schema = { kind: "json" };

export function startConversion(wire: SchemaConverter): Conversion {
  return { wire, stack: [], refusals: [], questions: new Map(), parts: 0, questionCount: 0 };
}

/**
 * Runs `make`. If it needs the checker, records the question and returns a placeholder, so that a type's questions are
 * collected at once.
 */
export function attempt(pass: Pass, make: () => Schema): Schema {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof NeedsChecker)) throw error;
    pass.run.questionCount += 1;
    pass.run.questions.set(questionKey(error.question), { question: error.question, form: "data" });
    return placeholder;
  }
}

export function refuse(pass: Pass, reason: RefusalReason, name: string): Schema {
  pass.run.refusals.push(typeProblem(reason, name, spanOf(pass.range.module, pass.range)));
  return placeholder;
}
