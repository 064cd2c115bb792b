import type { ESTree } from "rolldown/utils";
import type { Schema } from "../../model/schema.ts";
import type { DeclaredCall } from "../declared.ts";
import type { ParsedDestination } from "../readers/destination.ts";
import type { ParsedErrorShape } from "../readers/error-shape.ts";
import type { ParsedFeed } from "../readers/feed.ts";
import type { ParsedMail } from "../readers/mail.ts";
import { evaluate } from "../schema/evaluate.ts";
import { resolveSchema, type ResolvedType, type TypeResolver } from "../schema/schema.ts";
import { refusedType } from "../schema/type-reading.ts";
import { topLevel } from "../schema/type-scope.ts";
import type { SourceRange, Type } from "../schema/type.ts";
import { handlerOf, requestNode, responseNode } from "../shape/handler.ts";
import { inferredArgument } from "../shape/inferred.ts";
import { typeArgumentOf, type PlacedType } from "./type-argument.ts";
import { TypeQuery } from "./type-query.ts";

/** Reads the message type of a queue, topic, job or feed: the `T` in `Queue<T>(name)` or in an annotation. */
export function destinationQuery(
  resolver: TypeResolver,
  declaredCall: DeclaredCall,
  read: ParsedDestination | ParsedFeed,
): TypeQuery<[Schema]> {
  const isJob = read.kind === "job";
  const unannotated = (): Type => {
    const name = nameOf(declaredCall, read);
    if (name?.typeAnnotation) return typeOfConstant(resolver, declaredCall, name);
    return isJob ? { kind: "primitive", name: "void" } : refusedType("unknown", "unknown");
  };
  return new TypeQuery(declaredCall, {
    reads: [() => declaredType(resolver, declaredCall, isJob ? "arguments" : "value", undefined, unannotated)],
    filled: ([{ value, refusals, types }]) => ({ read: { ...read, types: { message: value, refusals } }, types }),
  });
}

/** Reads the type of a mail's data. Refuses nothing: only previews need the data as JSON. */
export function mailQuery(resolver: TypeResolver, declaredCall: DeclaredCall, read: ParsedMail): TypeQuery<[Schema]> {
  const { call, module } = declaredCall.call;
  const dataType = (): ResolvedType<Schema> => {
    const document = call.arguments[1];
    const handler = document && handlerOf(resolver.reading.project, module, document);
    const annotation = handler && requestNode(handler, 1);
    const typeNode = annotation ? { module: handler.module, node: annotation } : undefined;
    return declaredType(resolver, declaredCall, "arguments", typeNode, () =>
      annotation === null
        ? { kind: "primitive", name: "void" }
        : typeOfConstant(resolver, declaredCall, nameOf(declaredCall, read) ?? call),
    );
  };
  return new TypeQuery(declaredCall, {
    reads: [dataType],
    filled: ([{ value, refusals, types }]) => ({
      read: { ...read, types: refusals.length > 0 ? {} : { data: { schema: value, types } } },
    }),
  });
}

/** Reads the type of an error shape's response bodies. */
export function errorShapeQuery(
  resolver: TypeResolver,
  declaredCall: DeclaredCall,
  read: ParsedErrorShape,
): TypeQuery<[Schema]> {
  const { call, module } = declaredCall.call;
  const bodyType = (): ResolvedType<Schema> => {
    const [argument] = call.arguments;
    const handler = argument && handlerOf(resolver.reading.project, module, argument);
    const annotation = handler && responseNode(handler);
    const typeNode = annotation && { module: handler.module, node: annotation };
    return declaredType(resolver, declaredCall, "value", typeNode, () =>
      typeOfConstant(resolver, declaredCall, nameOf(declaredCall, read) ?? call),
    );
  };
  return new TypeQuery(declaredCall, {
    reads: [bodyType],
    filled: ([{ value, refusals, types }]) => ({ read: { ...read, types: { body: value, refusals } }, types }),
  });
}

/** Reads a declaration's type argument, the annotation of its handler, or what `unannotated` returns. */
function declaredType(
  resolver: TypeResolver,
  { call: { module, call } }: DeclaredCall,
  medium: Parameters<typeof resolveSchema>[2],
  annotation: PlacedType | undefined,
  unannotated: () => Type,
): ResolvedType<Schema> {
  const typeNode = typeArgumentOf(resolver.reading.project, module, call) ?? annotation;
  const { start, end } = typeNode?.node ?? call.callee;
  return resolveSchema(resolver, { module: typeNode?.module ?? module, start, end }, medium, () =>
    typeNode ? evaluate(typeNode.node, topLevel(resolver.reading, typeNode.module)) : unannotated(),
  );
}

function nameOf(
  { call: { module } }: DeclaredCall,
  { declaration }: { readonly declaration: { readonly variable: string } },
): ESTree.BindingPattern | undefined {
  const binding = module.bindings.get(declaration.variable);
  return binding?.kind === "variable" ? binding.node.id : undefined;
}

/** Asks the checker for the first type argument of a declared constant. */
function typeOfConstant(
  resolver: TypeResolver,
  { call: { module } }: DeclaredCall,
  { start, end }: Pick<SourceRange, "start" | "end">,
): Type {
  return inferredArgument(resolver, { module, start, end }, 0);
}
