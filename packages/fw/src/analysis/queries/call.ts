import type { ESTree } from "rolldown/utils";
import { isText } from "../readers/source.ts";
import { isFunction, keyOf, unwrap } from "../source/expression.ts";
import { callFunction } from "./call-function.ts";
import { startsQuery, readConditions } from "./conditions.ts";
import { runSuper } from "./instance.ts";
import { isForeign, topLevelValue, hasTopLevelRoot } from "./lookup.ts";
import {
  readCounts,
  readFilter,
  readLocalConstant,
  readOrder,
  readSearch,
  readSorts,
  readTotal,
  type QueryMethodCall,
} from "./steps.ts";
import type { QueryAlternative, EntityValue, QueryValue, Value } from "./value.ts";
import type { Frame } from "./frame.ts";

/** Runs a call that starts, extends or reads a query, or calls a function. */
export function callValue(node: ESTree.CallExpression, frame: Frame): Value {
  const callee = unwrap(node.callee);
  if (callee.type === "MemberExpression") return methodValue(node, callee, frame);
  if (callee.type === "Super") return (runSuper(node, frame), undefined);
  if (isFunction(callee)) return callFunction(frame.functionValue(callee), node, frame);
  return callFunction(frame.value(callee), node, frame);
}

function methodValue(node: ESTree.CallExpression, callee: ESTree.MemberExpression, frame: Frame): Value {
  const object = frame.value(callee.object);
  const method =
    keyOf(callee) ?? (callee.computed ? readLocalConstant(callee.property, frame, isText).value : undefined);
  if (object?.kind === "query") return queryStep({ query: object, call: node, frame }, method, callee.property);
  if (object?.kind === "entity" && method === "query") return newQuery(object, node, frame);
  if (object?.kind === "entity" && method === undefined) frame.reportEntityEscape(node, byKey);
  const isQuery = object === undefined && looksLikeQueryCall(method, node);
  const isOther = isQuery === false || isForeign(callee.object, frame);
  if (isOther !== true) {
    const isCalled = frame.isCalled || frame.self !== undefined;
    const isUnclear = isQuery === "unclear" || isOther === "unclear";
    frame.run.report.addUnknownStart({ place: frame.place(node), isCalled, isUnclear });
    if (isQuery === true) return { kind: "query", alternatives: [] };
  }
  const target = hasTopLevelRoot(callee, frame.scope) ? topLevelValue(callee, frame) : undefined;
  return callFunction(target, node, frame);
}

const byKey = "calls an entity's method by a key that is only known at run time";

function newQuery({ entities, open }: EntityValue, node: ESTree.CallExpression, frame: Frame): QueryValue {
  const begins = frame.place(node);
  if (open) frame.run.report.addUnknownStart({ place: begins, isCalled: true, isUnclear: false });
  frame.run.report.addStart(begins);
  const conditions = readConditions(node, frame);
  const alternatives = entities.map((entity): QueryAlternative => ({
    entity,
    begins,
    filters: [],
    orders: [],
    conditions,
    isComplete: true,
  }));
  return { kind: "query", alternatives };
}

/** Decides whether a call looks like a query method, regardless of its object. */
function looksLikeQueryCall(method: string | undefined, call: ESTree.CallExpression): boolean | "unclear" {
  if (method === "query") return startsQuery(call);
  const { arguments: given } = call;
  const operator = method === "where" && given.length === 3 ? given[1] : undefined;
  return operator?.type === "Literal" && operators.has(operator.value);
}

const operators: ReadonlySet<unknown> = new Set(["==", "<", "<=", ">", ">=", "in", "contains"]);

/** Applies a query method, named at `property`; undefined for one that runs the query, and for unknown names. */
function queryStep(step: QueryMethodCall, method: string | undefined, property: ESTree.Node): Value {
  const { query, call, frame } = step;
  for (const argument of call.arguments) frame.unused(argument, "is passed to another query");
  const { report } = frame.run;
  if (query.alternatives.length > 0) report.addStart(frame.place(call));
  switch (method) {
    case "where":
      return readFilter(step);
    case "orderBy":
      return readOrder(step);
    case "sortBy":
      return readSorts(step);
    case "countBy":
      return (report.addUse(frame.place(property), readCounts(step)), undefined);
    case "sum":
    case "average":
      return (report.addUse(frame.place(property), readTotal(step)), undefined);
    case "search":
      return readSearch(step);
    case "offset":
      return (report.addSkips(query), query);
    case "limit":
    case "with":
      return query;
    case "all":
    case "first":
    case "count":
    case "page":
    case "each":
      return (report.addUse(frame.place(property), query), undefined);
    default:
      return (frame.reportEscape(query, property, "is used without a call"), undefined);
  }
}
