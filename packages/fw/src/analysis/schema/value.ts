import type { ESTree } from "rolldown/utils";
import { resolveName } from "../resolution/resolve-name.ts";
import { isConst, propertyName } from "../source/expression.ts";
import type { Binding, SourceModule } from "../source/module.ts";
import { enumMembers } from "./enum.ts";
import { askChecker, type NeedsChecker } from "./type-reading.ts";
import { topLevel, type TypeScope } from "./type-scope.ts";
import { unionOf, type Property, type Type } from "./type.ts";

/** Evaluates `typeof name` for a constant whose source determines its type. */
export function typeOfValue(node: ESTree.TSTypeQuery, scope: TypeScope): Type {
  if (node.exprName.type !== "Identifier" || node.typeArguments) throw askChecker(scope, node);
  const resolved = resolveName(scope.reading.project, scope.module, node.exprName.name);
  const type = resolved.kind === "binding" ? declaredValue(resolved, node, scope) : undefined;
  if (!type) throw askChecker(scope, node);
  return type;
}

/**
 * Evaluates `keyof typeof Level` for an enum, where `node` is `typeof Level`: the names of its members. Undefined for
 * other types.
 */
export function enumNames(node: ESTree.TSType, scope: TypeScope): Type | undefined {
  const inner = node.type === "TSParenthesizedType" ? node.typeAnnotation : node;
  if (inner.type !== "TSTypeQuery" || inner.exprName.type !== "Identifier") return undefined;
  const resolved = resolveName(scope.reading.project, scope.module, inner.exprName.name);
  if (resolved.kind !== "binding") return undefined;
  const [declaration, ...more] = resolved.module.types.get(resolved.binding.name) ?? [];
  if (declaration?.type !== "TSEnumDeclaration" || more.length > 0) return undefined;
  const members = enumMembers(declaration);
  return members && unionOf([...members.keys()].map((value) => ({ kind: "literal", value })));
}

function declaredValue(
  { module, binding }: { readonly module: SourceModule; readonly binding: Binding },
  node: ESTree.TSTypeQuery,
  scope: TypeScope,
): Type | undefined {
  const [declaration, ...more] = module.types.get(binding.name) ?? [];
  if (declaration?.type === "TSEnumDeclaration" && more.length === 0) return enumObject(declaration);
  if (binding.kind !== "variable" || binding.mutable) return undefined;
  const constant = binding.node;
  const annotation = constant.id.typeAnnotation?.typeAnnotation;
  if (annotation) return scope.reading.evaluate(annotation, topLevel(scope.reading, module));
  const origin: ConstantSource = { module, askChecker: () => askChecker(scope, node) };
  return constant.init ? constantType(constant.init, origin) : undefined;
}

interface ConstantSource {
  readonly module: SourceModule;
  readonly askChecker: () => NeedsChecker;
}

function constantType(init: ESTree.Expression, origin: ConstantSource): Type | undefined {
  const literal = literalValue(init);
  if (literal) return literal;
  if (init.type !== "TSAsExpression" || !isConst(init.typeAnnotation)) return undefined;
  return asConstType(init.expression, origin);
}

/** Returns the type of a string, number or boolean literal; undefined for any other expression. */
export function literalValue(node: ESTree.Expression): Type | undefined {
  if (node.type === "TemplateLiteral" && node.expressions.length === 0)
    return { kind: "literal", value: node.quasis[0]?.value.cooked ?? "" };
  if (node.type === "UnaryExpression" && node.operator === "-" && node.argument.type === "Literal") {
    return typeof node.argument.value === "number" ? { kind: "literal", value: -node.argument.value } : undefined;
  }
  if (node.type !== "Literal") return undefined;
  const { value } = node;
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? { kind: "literal", value }
    : undefined;
}

/** Returns the type of a literal in `as const`: a scalar, an array or an object. */
function asConstType(node: ESTree.Expression, origin: ConstantSource): Type {
  const literal = literalValue(node);
  if (literal) return literal;
  if (node.type === "ArrayExpression")
    return { kind: "tuple", items: node.elements.map((each) => asConstItem(each, origin)) };
  if (node.type === "ObjectExpression") return asConstObject(node, origin);
  throw origin.askChecker();
}

function asConstItem(
  node: ESTree.ArrayExpressionElement,
  origin: ConstantSource,
): { readonly type: Type; readonly optional: false; readonly rest: false } {
  if (!node || node.type === "SpreadElement") throw origin.askChecker();
  return { type: asConstType(node, origin), optional: false, rest: false };
}

function asConstObject(node: ESTree.ObjectExpression, origin: ConstantSource): Type {
  const properties = new Map<string, Property>();
  for (const each of node.properties) {
    if (each.type === "SpreadElement" || each.computed || each.method || each.kind !== "init" || each.shorthand)
      throw origin.askChecker();
    const { key } = each;
    const name = propertyName(each);
    if (name === undefined || (key.type === "Literal" && typeof key.value === "number")) throw origin.askChecker();
    const type = asConstType(each.value, origin);
    properties.set(name, {
      name,
      optional: false,
      range: { module: origin.module, start: key.start, end: key.end },
      type: () => type,
    });
  }
  return { kind: "object", properties };
}

/**
 * Evaluates `typeof Color` for an enum with only string values. Undefined for other enums: numbers add reverse lookups.
 */
function enumObject(declaration: ESTree.TSEnumDeclaration): Type | undefined {
  const members = enumMembers(declaration);
  if (!members || [...members.values()].some((value) => typeof value === "number")) return undefined;
  const properties = [...members].map(([name, value]): [string, Property] => [
    name,
    { name, optional: false, range: undefined, type: () => ({ kind: "literal", value }) },
  ]);
  return { kind: "object", properties: new Map(properties) };
}
