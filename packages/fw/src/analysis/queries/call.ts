import type { ESTree } from "rolldown/utils";
import { isFunction, keyOf, unwrap } from "../source/expression.ts";
import { enter } from "./enter.ts";
import { entityEscapes, lost, unused } from "./escape.ts";
import { functionValue } from "./frame.ts";
import { isForeign, outside, rootedOutside } from "./lookup.ts";
import type { Run } from "./run.ts";
import { readFilter, readHere, readOrder, readSorts, readTotal } from "./steps.ts";
import type { Alternative, EntityValue, Frame, QueryValue, Value } from "./value.ts";

/** A call: a query begins, takes a step or is read, or a function is entered. */
export function callValue(run: Run, node: ESTree.CallExpression, frame: Frame): Value {
  const callee = unwrap(node.callee);
  if (callee.type === "MemberExpression") return methodValue(run, node, callee, frame);
  if (isFunction(callee)) return enter(run, functionValue(callee, frame), node, frame);
  return enter(run, run.value(callee, frame), node, frame);
}

function methodValue(run: Run, node: ESTree.CallExpression, callee: ESTree.MemberExpression, frame: Frame): Value {
  const object = run.value(callee.object, frame);
  const method = keyOf(callee) ?? (callee.computed ? readHere(run, callee.property, frame).value : undefined);
  if (object?.kind === "query") return queryStep(run, object, method, node, callee, frame);
  if (object?.kind === "entity" && method === "query") return newQuery(run, object, node, frame);
  if (object?.kind === "entity" && method === undefined) entityEscapes(run, node, frame, byKey);
  if (object === undefined && mayAsk(method, node) && !isForeign(run, callee.object, frame))
    return unknownEntity(run, node, frame);
  const target = rootedOutside(callee, frame.scope) ? outside(run, callee, frame) : undefined;
  return enter(run, target, node, frame);
}

const byKey = "asks an entity by a key that is known only when the app runs";

function newQuery(run: Run, { entities, open }: EntityValue, node: ESTree.Node, { module }: Frame): QueryValue {
  const begins = { module, node };
  if (open) run.report.beginUnknown(begins, true);
  run.report.begin(begins);
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
function unknownEntity(run: Run, node: ESTree.Node, { module, entered }: Frame): QueryValue {
  run.report.beginUnknown({ module, node }, entered);
  return { kind: "query", alternatives: [] };
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
  if (query.alternatives.length > 0) run.report.begin({ module: frame.module, node });
  switch (method) {
    case "where":
      return readFilter(run, query, node, frame);
    case "orderBy":
      return readOrder(run, query, node, frame);
    case "sortBy":
      return readSorts(run, query, node, frame);
    case "sum":
    case "average":
      return (
        run.report.use({ module: frame.module, node: callee.property }, readTotal(run, query, node, frame)), undefined
      );
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
