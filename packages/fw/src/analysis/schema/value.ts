import type { ESTree } from "rolldown/utils";
import { resolveName } from "../resolution/resolve-name.ts";
import { isConst, propertyName } from "../source/expression.ts";
import type { Binding, SourceModule } from "../source/module.ts";
import { enumMembers } from "./enum.ts";
import { unsure, type NeedsChecker } from "./reading.ts";
import { topLevel, type Scope } from "./scope.ts";
import { unionOf, type Property, type Type } from "./type.ts";

/** `typeof name` of a constant whose type its own text settles. */
export function typeOfValue(node: ESTree.TSTypeQuery, scope: Scope): Type {
  if (node.exprName.type !== "Identifier" || node.typeArguments) throw unsure(scope, node);
  const resolved = resolveName(scope.reading.project, scope.module, node.exprName.name);
  const found = resolved.kind === "binding" ? declaredValue(resolved, node, scope) : undefined;
  if (!found) throw unsure(scope, node);
  return found;
}

/** `keyof typeof Level` of an enum is the names of its members, whatever their values. */
export function enumNames(node: ESTree.TSType, scope: Scope): Type | undefined {
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
  scope: Scope,
): Type | undefined {
  const [declaration, ...more] = module.types.get(binding.name) ?? [];
  if (declaration?.type === "TSEnumDeclaration" && more.length === 0) return enumObject(declaration);
  if (binding.kind !== "variable" || binding.mutable) return undefined;
  const constant = binding.node;
  const annotation = constant.id.typeAnnotation?.typeAnnotation;
  if (annotation) return scope.reading.evaluate(annotation, topLevel(scope.reading, module));
  const origin: Origin = { module, unsure: () => unsure(scope, node) };
  return constant.init ? constantType(constant.init, origin) : undefined;
}

interface Origin {
  readonly module: SourceModule;
  readonly unsure: () => NeedsChecker;
}

function constantType(init: ESTree.Expression, origin: Origin): Type | undefined {
  const literal = literalValue(init);
  if (literal) return literal;
  if (init.type !== "TSAsExpression" || !isConst(init.typeAnnotation)) return undefined;
  return frozen(init.expression, origin);
}

/** The type of a literal that is a text, a number or true or false. */
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

/** What `as const` makes of an array or object literal. */
function frozen(node: ESTree.Expression, origin: Origin): Type {
  const literal = literalValue(node);
  if (literal) return literal;
  if (node.type === "ArrayExpression")
    return { kind: "tuple", items: node.elements.map((each) => frozenItem(each, origin)) };
  if (node.type === "ObjectExpression") return frozenObject(node, origin);
  throw origin.unsure();
}

function frozenItem(
  node: ESTree.ArrayExpressionElement,
  origin: Origin,
): { readonly type: Type; readonly optional: false; readonly rest: false } {
  if (!node || node.type === "SpreadElement") throw origin.unsure();
  return { type: frozen(node, origin), optional: false, rest: false };
}

function frozenObject(node: ESTree.ObjectExpression, origin: Origin): Type {
  const properties = new Map<string, Property>();
  for (const each of node.properties) {
    if (each.type === "SpreadElement" || each.computed || each.method || each.kind !== "init" || each.shorthand)
      throw origin.unsure();
    const { key } = each;
    const name = propertyName(each);
    if (name === undefined || (key.type === "Literal" && typeof key.value === "number")) throw origin.unsure();
    const type = frozen(each.value, origin);
    properties.set(name, {
      name,
      optional: false,
      place: { module: origin.module, start: key.start, end: key.end },
      type: () => type,
    });
  }
  return { kind: "object", properties };
}

/** `typeof Color`, whose keys are the member names; its number members can be looked up backwards, so only texts. */
function enumObject(declaration: ESTree.TSEnumDeclaration): Type | undefined {
  const members = enumMembers(declaration);
  if (!members || [...members.values()].some((value) => typeof value === "number")) return undefined;
  const properties = [...members].map(([name, value]): [string, Property] => [
    name,
    { name, optional: false, place: undefined, type: () => ({ kind: "literal", value }) },
  ]);
  return { kind: "object", properties: new Map(properties) };
}
