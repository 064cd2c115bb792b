import type { ESTree } from "rolldown/utils";
import { isFunction, keyOf, unwrap } from "../source/expression.ts";
import { enter } from "./enter.ts";

import { isForeign, outside, rootedOutside } from "./lookup.ts";
import { readFilter, readHere, readOrder, readSorts, readTotal, type QueryStep } from "./steps.ts";
import type { Alternative, EntityValue, QueryValue, Value } from "./value.ts";
import type { Frame } from "./frame.ts";

/** A call: a query begins, takes a step or is read, or a function is entered. */
export function callValue(node: ESTree.CallExpression, frame: Frame): Value {
  const callee = unwrap(node.callee);
  if (callee.type === "MemberExpression") return methodValue(node, callee, frame);
  if (isFunction(callee)) return enter(frame.functionValue(callee), node, frame);
  return enter(frame.value(callee), node, frame);
}

function methodValue(node: ESTree.CallExpression, callee: ESTree.MemberExpression, frame: Frame): Value {
  const object = frame.value(callee.object);
  const method = keyOf(callee) ?? (callee.computed ? readHere(callee.property, frame).value : undefined);
  if (object?.kind === "query") return queryStep({ query: object, call: node, frame }, method, callee.property);
  if (object?.kind === "entity" && method === "query") return newQuery(object, node, frame);
  if (object?.kind === "entity" && method === undefined) frame.entityEscapes(node, byKey);
  if (object === undefined && mayAsk(method, node) && !isForeign(callee.object, frame))
    return unknownEntity(node, frame);
  const target = rootedOutside(callee, frame.scope) ? outside(callee, frame) : undefined;
  return enter(target, node, frame);
}

const byKey = "asks an entity by a key that is known only when the app runs";

function newQuery({ entities, open }: EntityValue, node: ESTree.Node, frame: Frame): QueryValue {
  const begins = frame.place(node);
  if (open) frame.run.report.beginUnknown(begins, true);
  frame.run.report.begin(begins);
  const alternatives = entities.map((entity): Alternative => ({
    entity,
    begins,
    filters: [],
    orders: [],
    whole: true,
  }));
  return { kind: "query", alternatives };
}

/** True for a call that reads as one of a query, whatever it is a call of. */
function mayAsk(method: string | undefined, { arguments: given }: ESTree.CallExpression): boolean {
  if (method === "query") return given.length === 0;
  const operator = method === "where" && given.length === 3 ? given[1] : undefined;
  return operator?.type === "Literal" && operators.has(operator.value);
}

const operators: ReadonlySet<unknown> = new Set(["==", "<", "<=", ">", ">=", "in", "contains"]);

/** What is asked may be an entity that somebody has handed on: a query of which nothing is known. */
function unknownEntity(node: ESTree.Node, frame: Frame): QueryValue {
  frame.run.report.beginUnknown(frame.place(node), frame.entered);
  return { kind: "query", alternatives: [] };
}

/** A step of a query by a method that is named at `property`; it is undefined where it is not known which. */
function queryStep(step: QueryStep, method: string | undefined, property: ESTree.Node): Value {
  const { query, call, frame } = step;
  for (const argument of call.arguments) frame.unused(argument, "is passed to another query");
  const { report } = frame.run;
  if (query.alternatives.length > 0) report.begin(frame.place(call));
  switch (method) {
    case "where":
      return readFilter(step);
    case "orderBy":
      return readOrder(step);
    case "sortBy":
      return readSorts(step);
    case "sum":
    case "average":
      return (report.use(frame.place(property), readTotal(step)), undefined);
    case "limit":
      return query;
    case "all":
    case "first":
    case "count":
    case "page":
    case "each":
      return (report.use(frame.place(property), query), undefined);
    default:
      return (frame.lost(query, property, "is taken apart"), undefined);
  }
}
