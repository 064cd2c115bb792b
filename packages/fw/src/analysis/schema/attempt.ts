import type { Schema } from "../../model/schema.ts";
import type { Attempt } from "./pass.ts";
import type { Resolver } from "./schema.ts";
import { withTags } from "./tag.ts";
import type { Place, RefusalReason, Type } from "./type.ts";
import { toSchema } from "./wire.ts";

/** The schema of a type, and what is wrong with it wherever it stands. */
export function convert(resolver: Resolver, read: () => Type, place: Place): Attempt<Schema> {
  const found = toSchema(resolver.wire, read, place);
  const refusals = found.refusals.filter(({ reason }) => !contextual.has(reason));
  return { ...found, value: withTags(found.value, resolver.wire.table), refusals };
}

/** A marker of a request's field says nothing of a value elsewhere, and only documents ask for plain objects. */
const contextual: ReadonlySet<RefusalReason> = new Set(["bound", "instance", "whole"]);
