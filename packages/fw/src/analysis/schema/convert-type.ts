import type { Schema } from "../../model/schema.ts";
import type { Attempt } from "./conversion.ts";
import type { TypeResolver } from "./schema.ts";
import { withTags } from "./tag.ts";
import type { SourceRange, RefusalReason, Type } from "./type.ts";
import { toSchema } from "./to-schema.ts";

/** Converts a type to a schema, with the problems that exist in every context. */
export function convertType(resolver: TypeResolver, read: () => Type, place: SourceRange): Attempt<Schema> {
  const attempt = toSchema(resolver.wire, read, place);
  const refusals = attempt.refusals.filter(({ reason }) => !contextualReasons.has(reason));
  return { ...attempt, value: withTags(attempt.value, resolver.wire.table), refusals };
}

/** Problems that depend on the context: request markers matter in requests, instances in documents. */
const contextualReasons: ReadonlySet<RefusalReason> = new Set(["bound", "instance", "whole"]);
