import type { ReplyShape } from "../../model/reply-shape.ts";
import type { Schema } from "../../model/schema.ts";
import { spanOf } from "../source/position.ts";
import { NeedsChecker, questionKey, type Reading } from "./reading.ts";
import { typeProblem, type TypeProblem } from "./type-problem.ts";
import type { Place, RefusalReason } from "./type.ts";

/** What is to be asked of the checker. */
export type Unsettled = Pick<NeedsChecker, "question" | "form">;

/** What one reading of a type came to. While there are questions, the rest is provisional. */
export interface Attempt<T> {
  readonly value: T;
  /** Of a response: what its replies are. */
  readonly replies?: readonly ReplyShape[];
  readonly refusals: readonly TypeProblem[];
  readonly questions: readonly Unsettled[];
}

/** What has nothing wrong with it, and needs nobody to be asked. */
export function settled<T>(value: T): Attempt<T> {
  return { value, refusals: [], questions: [] };
}

/** A named type read once for the whole application. */
export interface WireType {
  /** A `ref`, or the type itself where its name adds nothing. */
  readonly schema: Schema;
  readonly refusals: readonly TypeProblem[];
  readonly touched: readonly string[];
}

/** What turning types into schemas shares. */
export interface Wire {
  readonly reading: Reading;
  /** Behind the refs. */
  readonly table: Map<string, Schema>;
  readonly named: Map<string, WireType>;
  /** Ids of the types that contain themselves. */
  readonly recursive: Set<string>;
}

/** One type on its way to a schema, and what comes up. */
export interface Run {
  readonly wire: Wire;
  /** Named types that are being converted, from the outside. */
  readonly stack: Frame[];
  readonly refusals: TypeProblem[];
  readonly questions: Map<string, Unsettled>;
  parts: number;
  asked: number;
}

export interface Frame {
  readonly hasName: boolean;
  readonly id: string;
  recursive: boolean;
}

/** A part of a run. There is one for every node of a type, so it is small. */
export interface Pass {
  readonly run: Run;
  readonly depth: number;
  /** What a finding points at: the field, or the whole. */
  readonly place: Place;
}

/** Stands where there is no schema, or none yet. */
export const placeholder: Schema = { kind: "json" };

export function openRun(wire: Wire): Run {
  return { wire, stack: [], refusals: [], questions: new Map(), parts: 0, asked: 0 };
}

/** Goes on past what only the checker knows, to put every question of a type at once. */
export function attempt(pass: Pass, make: () => Schema): Schema {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof NeedsChecker)) throw error;
    pass.run.asked += 1;
    pass.run.questions.set(questionKey(error.question), { question: error.question, form: "data" });
    return placeholder;
  }
}

export function refuse(pass: Pass, reason: RefusalReason, name: string): Schema {
  pass.run.refusals.push(typeProblem(reason, name, spanOf(pass.place.module, pass.place)));
  return placeholder;
}
