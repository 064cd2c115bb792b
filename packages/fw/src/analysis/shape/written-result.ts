import type { ESTree } from "rolldown/utils";
import { resolveName } from "../resolution/resolve-name.ts";
import type { Property, Type } from "../schema/type.ts";
import { propertyName } from "../source/expression.ts";
import type { Project } from "../source/project.ts";
import type { HandlerFunction } from "./handler.ts";

/**
 * Returns the type of a handler's result if it is a single expression of literals and constants, so that no save has to
 * wait for the checker to infer it. TypeScript widens literals there: `() => 1` responds with a number.
 */
export function writtenResult(project: Project, handler: HandlerFunction): Type | undefined {
  const result = handler.direct ? resultOf(handler.node) : undefined;
  return result && typeOf({ project, handler }, result);
}

interface Reading {
  readonly project: Project;
  readonly handler: HandlerFunction;
}

function resultOf({ body }: HandlerFunction["node"]): ESTree.Expression | undefined {
  if (body?.type !== "BlockStatement") return body ?? undefined;
  const [statement] = body.body;
  return body.body.length === 1 && statement?.type === "ReturnStatement"
    ? (statement.argument ?? undefined)
    : undefined;
}

function typeOf(reading: Reading, node: ESTree.Expression): Type | undefined {
  if (node.type === "ParenthesizedExpression") return typeOf(reading, node.expression);
  if (node.type === "Identifier") return constantType(reading, node.name);
  return node.type === "ObjectExpression" ? objectType(reading, node) : literalType(node);
}

function literalType(node: ESTree.Expression): Type | undefined {
  if (node.type === "TemplateLiteral") return { kind: "primitive", name: "string" };
  const isNegative = node.type === "UnaryExpression" && node.operator === "-";
  const value = isNegative ? node.argument : node;
  if (value.type !== "Literal") return undefined;
  const name = typeof value.value;
  if (name !== "number" && (isNegative || (name !== "string" && name !== "boolean"))) return undefined;
  return { kind: "primitive", name };
}

/** Reads a constant of the application without an annotation, whose initializer is a literal. */
function constantType({ project, handler: { module, node } }: Reading, name: string): Type | undefined {
  const parameters = module.text.slice(node.start, node.body?.start ?? node.end);
  // A parameter of this name hides the constant.
  if (parameters.split(/[^\p{ID_Continue}$]+/u).includes(name)) return undefined;
  const target = resolveName(project, module, name);
  if (target.kind !== "binding" || target.binding.kind !== "variable") return undefined;
  const { mutable, node: declarator } = target.binding;
  return mutable || declarator.id.typeAnnotation || !declarator.init ? undefined : literalType(declarator.init);
}

function objectType(reading: Reading, { properties }: ESTree.ObjectExpression): Type | undefined {
  const types = new Map<string, Property>();
  for (const property of properties) {
    const name = property.type === "Property" && property.kind === "init" ? propertyName(property) : undefined;
    if (property.type !== "Property" || name === undefined || name === "__proto__" || types.has(name)) return undefined;
    const type = typeOf(reading, property.value);
    if (type === undefined) return undefined;
    types.set(name, { name, optional: false, range: undefined, type: () => type });
  }
  return types.size === 0 ? undefined : { kind: "object", properties: types };
}
