import type { ESTree } from "rolldown/utils";
import { isFunction, unwrap } from "../source/expression.ts";
import { enter } from "./enter.ts";
import { lost, unused } from "./escape.ts";
import { functionValue } from "./frame.ts";
import { outside, rootedOutside } from "./lookup.ts";
import type { Run } from "./run.ts";
import { readFilter, readOrder } from "./steps.ts";
import type { EntityValue, Frame, QueryValue, Value } from "./value.ts";

/** A call: a query begins, takes a step or is read, or a function is entered. */
export function callValue(run: Run, node: ESTree.CallExpression, frame: Frame): Value {
  const callee = unwrap(node.callee);
  if (callee.type === "MemberExpression") return methodValue(run, node, callee, frame);
  if (isFunction(callee)) return enter(run, functionValue(callee, frame), node, frame);
  return enter(run, run.value(callee, frame), node, frame);
}

function methodValue(run: Run, node: ESTree.CallExpression, callee: ESTree.MemberExpression, frame: Frame): Value {
  const object = run.value(callee.object, frame);
  const method = callee.property.type === "Identifier" && !callee.computed ? callee.property.name : undefined;
  if (object?.kind === "query") return queryStep(run, object, method, node, callee, frame);
  if (object?.kind === "entity" && method === "query") return newQuery(object, node, frame);
  const target = rootedOutside(callee, frame.scope) ? outside(run, callee, frame) : undefined;
  return enter(run, target, node, frame);
}

function newQuery({ entity }: EntityValue, node: ESTree.Node, { module }: Frame): QueryValue {
  const begins = { module, node };
  return { kind: "query", alternatives: [{ entity, begins, filters: [], orders: [], whole: true }] };
}

function queryStep(
  run: Run,
  query: QueryValue,
  method: string | undefined,
  node: ESTree.CallExpression,
  callee: ESTree.MemberExpression,
  frame: Frame,
): Value {
  for (const each of node.arguments) unused(run, each, frame, "is passed to another query");
  switch (method) {
    case "where":
      return readFilter(run, query, node, frame);
    case "orderBy":
      return readOrder(run, query, node, frame);
    case "limit":
      return query;
    case "all":
    case "first":
    case "count":
    case "page":
    case "each":
      return (run.report.use({ module: frame.module, node: callee.property }, query), undefined);
    default:
      return (lost(run, query, callee.property, frame, "is taken apart"), undefined);
  }
}
