import type { Schema } from "../../model/schema.ts";
import type { DeclaredCall } from "../declared.ts";
import type { ParsedDestination } from "../readers/destination.ts";
import type { ParsedFeed } from "../readers/feed.ts";
import { evaluate } from "../schema/evaluate.ts";
import { refusedType } from "../schema/type-reading.ts";
import { resolveSchema, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import { topLevel } from "../schema/type-scope.ts";
import type { SourceRange, Type } from "../schema/type.ts";
import { inferredArgument } from "../shape/inferred.ts";
import { typeArgumentOf } from "./type-argument.ts";
import { TypeQuery } from "./type-query.ts";

/** Reads the message type of a queue, topic, job or feed. */
export function destinationQuery(
  resolver: TypeResolver,
  declared: DeclaredCall,
  read: ParsedDestination | ParsedFeed,
): TypeQuery<[Schema]> {
  return new TypeQuery(declared, {
    reads: [() => messageOf(resolver, declared, read)],
    filled: ([{ value, refusals, types }]) => ({ read: { ...read, types: { message: value, refusals } }, types }),
  });
}

/** Reads the `T` in `Queue<T>(name)` or in the constant's annotation. A job may have none. */
function messageOf(
  resolver: TypeResolver,
  { call: { module, call } }: DeclaredCall,
  read: ParsedDestination | ParsedFeed,
): ResolvedType<Schema> {
  const given = typeArgumentOf(resolver.reading.project, module, call);
  const { start, end } = given?.node ?? call.callee;
  const place: SourceRange = { module: given?.module ?? module, start, end };
  const type = (): Type => {
    if (given) return evaluate(given.node, topLevel(resolver.reading, given.module));
    const binding = module.bindings.get(read.declaration.variable);
    const name = binding?.kind === "variable" ? binding.node.id : undefined;
    if (name?.typeAnnotation) {
      return inferredArgument(resolver, { module, start: name.start, end: name.end }, 0);
    }
    return read.kind === "job" ? { kind: "primitive", name: "void" } : refusedType("unknown", "unknown");
  };
  return resolveSchema(resolver, place, read.kind === "job" ? "arguments" : "value", type);
}
