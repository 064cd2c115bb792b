import type { Schema } from "../../model/schema.ts";
import type { DeclaredCall } from "../declared.ts";
import type { ParsedErrorShape } from "../readers/error-shape.ts";
import { evaluate } from "../schema/evaluate.ts";
import { resolveSchema, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import { topLevel } from "../schema/type-scope.ts";
import type { Type } from "../schema/type.ts";
import { handlerOf, responseNode } from "../shape/handler.ts";
import { inferredArgument } from "../shape/inferred.ts";
import { typeArgumentOf } from "./type-argument.ts";
import { TypeQuery } from "./type-query.ts";

export function errorShapeQuery(
  resolver: TypeResolver,
  declaredCall: DeclaredCall,
  read: ParsedErrorShape,
): TypeQuery<[Schema]> {
  return new TypeQuery(declaredCall, {
    reads: [() => bodyOf(resolver, declaredCall, read)],
    filled: ([{ value, refusals, types }]) => ({ read: { ...read, types: { body: value, refusals } }, types }),
  });
}

function bodyOf(
  resolver: TypeResolver,
  { call: { module, call } }: DeclaredCall,
  { declaration }: ParsedErrorShape,
): ResolvedType<Schema> {
  const { project } = resolver.reading;
  const [argument] = call.arguments;
  const handler = argument && handlerOf(project, module, argument);
  const annotation = handler && responseNode(handler);
  const bodyType =
    typeArgumentOf(project, module, call) ?? (annotation && { module: handler.module, node: annotation });
  const { start, end } = bodyType?.node ?? call.callee;
  const type = (): Type => {
    if (bodyType) return evaluate(bodyType.node, topLevel(resolver.reading, bodyType.module));
    const binding = module.bindings.get(declaration.variable);
    const name = binding?.kind === "variable" ? binding.node.id : call;
    return inferredArgument(resolver, { module, start: name.start, end: name.end }, 0);
  };
  return resolveSchema(resolver, { module: bodyType?.module ?? module, start, end }, "value", type);
}
