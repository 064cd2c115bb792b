import type { ReplyShape } from "../../model/reply-shape.ts";
import type { Schema } from "../../model/schema.ts";
import type { Question } from "../checker/checker.ts";
import type { Resolver } from "./schema.ts";
import { withTags } from "./tag.ts";
import type { TypeProblem } from "./type-problem.ts";
import type { Place, RefusalReason, Type } from "./type.ts";
import { toSchema } from "./wire.ts";

/** What is to be asked of the checker. */
export interface Unsettled {
  readonly question: Question;
  readonly form: "data" | "text";
}

/** What one reading of a type came to. */
export interface Attempt<T> {
  readonly value: T;
  readonly replies?: readonly ReplyShape[];
  readonly refusals: readonly TypeProblem[];
  readonly questions: readonly Unsettled[];
}

/** The schema of a type, and what is wrong with it wherever it stands. */
export function convert(resolver: Resolver, read: () => Type, place: Place): Attempt<Schema> {
  const { schema, refusals, questions } = toSchema(resolver.wire, read, place);
  return {
    value: withTags(schema, resolver.wire.table),
    refusals: refusals.filter(({ reason }) => !contextual.has(reason)),
    questions: questions.map((question) => ({ question, form: "data" })),
  };
}

/** A marker of a request's field says nothing of a value elsewhere, and only documents ask for plain objects. */
const contextual: ReadonlySet<RefusalReason> = new Set(["bound", "instance", "whole"]);
