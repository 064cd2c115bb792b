import type { Schema } from "../../model/schema.ts";
import type { DeclaredCall } from "../declared.ts";
import type { ParsedMail } from "../readers/mail.ts";
import { evaluate } from "../schema/evaluate.ts";
import { resolveSchema, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import { topLevel } from "../schema/type-scope.ts";
import type { Type } from "../schema/type.ts";
import { handlerOf, requestNode } from "../shape/handler.ts";
import { inferredArgument } from "../shape/inferred.ts";
import { typeArgumentOf, type PlacedType } from "./type-argument.ts";
import { TypeQuery } from "./type-query.ts";

/** Reads the type of a mail's data. Refuses nothing: only previews need the data as JSON. */
export function mailQuery(resolver: TypeResolver, declaredCall: DeclaredCall, read: ParsedMail): TypeQuery<[Schema]> {
  return new TypeQuery(declaredCall, {
    reads: [() => dataOf(resolver, declaredCall, read)],
    filled: ([{ value, refusals, types }]) => ({
      read: { ...read, types: refusals.length > 0 ? {} : { data: { schema: value, types } } },
    }),
  });
}

function dataOf(
  resolver: TypeResolver,
  { call: { module, call } }: DeclaredCall,
  { declaration }: ParsedMail,
): ResolvedType<Schema> {
  const { project } = resolver.reading;
  const document = call.arguments[1];
  const handler = document && handlerOf(project, module, document);
  const annotation = handler && requestNode(handler, 1);
  const dataType: PlacedType | undefined =
    typeArgumentOf(project, module, call) ?? (annotation ? { module: handler.module, node: annotation } : undefined);
  const { start, end } = dataType?.node ?? call.callee;
  const type = (): Type => {
    if (dataType) return evaluate(dataType.node, topLevel(resolver.reading, dataType.module));
    if (annotation === null) return { kind: "primitive", name: "void" };
    const binding = module.bindings.get(declaration.variable);
    const name = binding?.kind === "variable" ? binding.node.id : call;
    return inferredArgument(resolver, { module, start: name.start, end: name.end }, 0);
  };
  return resolveSchema(resolver, { module: dataType?.module ?? module, start, end }, "arguments", type);
}
