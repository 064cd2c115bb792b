import type { ESTree } from "rolldown/utils";
import type { Located } from "../readers/declaration-syntax.ts";
import { isText, readConstant } from "../readers/source.ts";
import { isConst, keyOf, propertyName, unwrap } from "../source/expression.ts";
import { searchField, type FieldUse } from "../readers/query.ts";
import type { SourceNode } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import { walkNames } from "../symbols/names-in.ts";
import type { Filter, QueryAlternative, Order, QueryValue } from "./value.ts";
import type { Frame } from "./frame.ts";

export interface QueryMethodCall {
  readonly query: QueryValue;
  readonly call: ESTree.CallExpression;
  readonly frame: Frame;
}

/** Reads `where(field, operator, value)`. */
export function readFilter(step: QueryMethodCall): QueryValue {
  const { query, call, frame } = step;
  frame.run.report.noteOrder(call);
  const field = constantArgument(step, "field", 0);
  const operator = constantArgument(step, "operator", 1);
  if (field === undefined || operator === undefined) return markIncomplete(query);
  const at = frame.place(call.arguments[0] ?? call);
  reportField(query, { field, use: "filters", at }, frame);
  frame.run.report.noteOrder(at.node);
  return withFilter(query, { field, operator, at });
}

/** Reads `countBy(ctx, field)`, which is like a filter by each of the field's values. */
export function readCounts(step: QueryMethodCall): QueryValue {
  const { query, call, frame } = step;
  const field = constantArgument(step, "field", 1);
  if (field === undefined) return markIncomplete(query);
  const at = frame.place(call.arguments[1] ?? call);
  reportField(query, { field, use: "counts", at }, frame);
  return withFilter(query, { field, operator: "==", at });
}

/** Reads `search(text)`, a filter on the property that holds the entity's search terms. */
export function readSearch({ query, call, frame }: QueryMethodCall): QueryValue {
  frame.run.report.noteOrder(call);
  const at = frame.place(call.arguments[0] ?? call);
  reportField(query, { field: searchField, use: "filters", at }, frame);
  frame.run.report.noteOrder(at.node);
  return withFilter(query, { field: searchField, operator: "contains", at });
}

function withFilter(query: QueryValue, filter: Filter): QueryValue {
  return mapAlternatives(query, (one) => ({ ...one, filters: [...one.filters, filter] }));
}

/** Reads `orderBy(field, direction)`. */
export function readOrder(step: QueryMethodCall): QueryValue {
  const { query, call, frame } = step;
  const field = constantArgument(step, "field", 0);
  if (field === undefined) return markIncomplete(query);
  const at = frame.place(call.arguments[0] ?? call);
  reportField(query, { field, use: "orders", at }, frame);
  const ways = directionsOf(call.arguments[1], frame).map((direction) => ({ field, direction, at }));
  return { kind: "query", alternatives: appendOrders(query.alternatives, ways) };
}

/** Reads `sortBy(selected, sorts)`. Any sort may apply. `sorts` is a literal, because each sort needs its own index. */
export function readSorts({ query, call, frame }: QueryMethodCall): QueryValue {
  const argument = call.arguments[1];
  const sorts = argument && propertiesOf(argument);
  const read = sorts?.map(({ value }) => propertiesOf(value));
  if (!read || read.includes(undefined)) {
    const at = spanOf(frame.module, sorts?.find((_, i) => read?.[i] === undefined)?.value ?? argument ?? call.callee);
    frame.run.report.addFault({ kind: "constant", what: "sorts", at, reading: { at, value: undefined } });
    return markIncomplete(query);
  }
  const alternatives = read.flatMap((properties = []): readonly QueryAlternative[] => {
    const ways = properties.map((property) => {
      const [field, at] = [propertyName(property) ?? "", frame.place(property.key)];
      reportField(query, { field, use: "orders", at }, frame);
      return directionsOf(property.value, frame).map((direction): Order => ({ field, direction, at }));
    });
    return ways.reduce(appendOrders, query.alternatives);
  });
  return { kind: "query", alternatives };
}

function appendOrders(alternatives: readonly QueryAlternative[], ways: readonly Order[]): readonly QueryAlternative[] {
  return alternatives.flatMap((one) => ways.map((order) => ({ ...one, orders: [...one.orders, order] })));
}

/** Reads `sum(ctx, field)` and `average`. Like a sort, they include only documents with the field. */
export function readTotal(step: QueryMethodCall): QueryValue {
  const { query, call, frame } = step;
  const field = constantArgument(step, "field", 1);
  if (field === undefined) return markIncomplete(query);
  const at = frame.place(call.arguments[1] ?? call);
  reportField(query, { field, use: "orders", at }, frame);
  return mapAlternatives(query, (one) =>
    one.orders.some((order) => order.field === field)
      ? one
      : { ...one, orders: [...rangeOrder(one, field, at), { field, direction: "asc" as const, at }] },
  );
}

/** Returns the orders that must precede the summed field: the query's own, or one by the range filter's field. */
function rangeOrder(
  { filters, orders }: QueryAlternative,
  field: string,
  at: QueryAlternative["begins"],
): QueryAlternative["orders"] {
  const range = filters.find(({ operator }) => operator.startsWith("<") || operator.startsWith(">"));
  if (orders.length > 0 || range === undefined || range.field === field) return orders;
  return [{ field: range.field, direction: "asc", at }];
}

/** Returns the properties of an object literal; undefined for other nodes, spreads, and computed or numeric names. */
export function propertiesOf(node: ESTree.Node): readonly ESTree.ObjectProperty[] | undefined {
  const literal = unwrap(node);
  if (literal.type !== "ObjectExpression") return undefined;
  const properties = literal.properties.filter(
    (property): property is ESTree.ObjectProperty => property.type === "Property",
  );
  // JavaScript puts numeric names first, regardless of their order in the source.
  const isPlain = properties.every((property) => /^(?!\d)/.test(propertyName(property) ?? "0"));
  return isPlain && properties.length === literal.properties.length ? properties : undefined;
}

function mapAlternatives(query: QueryValue, change: (one: QueryAlternative) => QueryAlternative): QueryValue {
  return { kind: "query", alternatives: query.alternatives.map(change) };
}

function markIncomplete(query: QueryValue): QueryValue {
  return mapAlternatives(query, (one) => ({ ...one, isComplete: false }));
}

function reportField(
  { alternatives }: QueryValue,
  { field, use, at }: Pick<FieldUse, "field" | "use"> & { readonly at: SourceNode },
  { run }: Frame,
): void {
  for (const { entity } of alternatives) run.report.addField({ entity, field, use, at: spanOf(at.module, at.node) });
}

function constantArgument(
  { call, frame }: QueryMethodCall,
  what: "field" | "operator",
  index: number,
): string | undefined {
  const argument = call.arguments[index];
  const isGiven = argument && argument.type !== "SpreadElement";
  const reading = isGiven
    ? readLocalConstant(argument, frame, isText)
    : { at: spanOf(frame.module, argument ?? call.callee), value: undefined };
  if (reading.value === undefined) frame.run.report.addFault({ kind: "constant", what, at: reading.at, reading });
  return reading.value;
}

/** Returns the possible directions of an order: ascending by default, both if the argument is not constant. */
function directionsOf(node: ESTree.Node | undefined, frame: Frame): readonly Order["direction"][] {
  if (!node) return ["asc"];
  const value = node.type === "SpreadElement" ? undefined : readLocalConstant(node, frame, isText).value;
  return value === "asc" || value === "desc" ? [value] : ["asc", "desc"];
}

/** Returns the value of a member of an `as const` object that is local to the function; undefined for other members. */
function localMember(node: ESTree.MemberExpression, frame: Frame): ESTree.Node | undefined {
  const object = unwrap(node.object);
  const init = object.type === "Identifier" ? frame.find(object.name)?.init : undefined;
  const literal = init?.type === "TSAsExpression" && isConst(init.typeAnnotation) ? unwrap(init) : undefined;
  if (literal?.type !== "ObjectExpression") return undefined;
  const property = literal.properties.findLast(
    (property) => property.type === "Property" && propertyName(property) === keyOf(node),
  );
  return property?.type === "Property" && literal.properties.every(({ type }) => type === "Property")
    ? property.value
    : undefined;
}

/**
 * Reads a constant of one type inside a function: a constant expression, a local `const`, or a member of a local object
 * literal with `as const`.
 */
export function readLocalConstant<T>(node: ESTree.Node, frame: Frame, is: (value: unknown) => value is T): Located<T> {
  const source = { project: frame.run.project, module: frame.module };
  const at = spanOf(frame.module, node);
  const bare = unwrap(node);
  if (bare.type === "Identifier") {
    const init = frame.find(bare.name)?.init;
    if (init) return { ...readLocalConstant(init, frame, is), at };
  }
  const member = bare.type === "MemberExpression" ? localMember(bare, frame) : undefined;
  if (member) return { ...readLocalConstant(member, frame, is), at };
  const local = walkNames(bare).find((name) => frame.find(name));
  if (local !== undefined) return { at, value: undefined, why: `\`${local}\` is only known at run time` };
  const { result, literals } = frame.run.project.trackLiterals(() => readConstant(source, node, is));
  if (result.value !== undefined) frame.run.report.addConstantReads(literals, frame.place(node));
  return result;
}
