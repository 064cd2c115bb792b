import type { ESTree } from "rolldown/utils";
import type { Located } from "../readers/declaration-syntax.ts";
import { isText, readConstant } from "../readers/source.ts";
import { isConst, keyOf, propertyName, unwrap } from "../source/expression.ts";
import type { FieldUse } from "../readers/query.ts";
import type { SourceNode } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import { walkNames } from "../symbols/names-in.ts";
import type { Alternative, Order, QueryValue } from "./value.ts";
import type { Frame } from "./frame.ts";

/** A call of a method of a query. */
export interface QueryStep {
  readonly query: QueryValue;
  readonly call: ESTree.CallExpression;
  readonly frame: Frame;
}

/** `where(field, operator, value)`. */
export function readFilter(step: QueryStep): QueryValue {
  const { query, call, frame } = step;
  frame.run.report.meet(call);
  const field = constant(step, "field", 0);
  const operator = constant(step, "operator", 1);
  if (field === undefined || operator === undefined) return broken(query);
  const at = frame.place(call.arguments[0] ?? call);
  noteField(query, { field, use: "filters", at }, frame);
  frame.run.report.meet(at.node);
  return every(query, (one) => ({ ...one, filters: [...one.filters, { field, operator, at }] }));
}

/** `orderBy(field, direction)`. */
export function readOrder(step: QueryStep): QueryValue {
  const { query, call, frame } = step;
  const field = constant(step, "field", 0);
  if (field === undefined) return broken(query);
  const at = frame.place(call.arguments[0] ?? call);
  noteField(query, { field, use: "orders", at }, frame);
  const ways = directionsOf(call.arguments[1], frame).map((direction) => ({ field, direction, at }));
  return { kind: "query", alternatives: sorted(query.alternatives, ways) };
}

/** `sortBy(chosen, sorts)`: any of the sorts. They are written out: each of them has its index. */
export function readSorts({ query, call, frame }: QueryStep): QueryValue {
  const given = call.arguments[1];
  const sorts = given && propertiesOf(given);
  const read = sorts?.map(({ value }) => propertiesOf(value));
  if (!read || read.includes(undefined)) {
    const at = spanOf(frame.module, sorts?.find((_, i) => read?.[i] === undefined)?.value ?? given ?? call.callee);
    frame.run.report.fault({ kind: "constant", what: "sorts", at, reading: { at, value: undefined } });
    return broken(query);
  }
  const alternatives = read.flatMap((properties = []): readonly Alternative[] => {
    const ways = properties.map((property) => {
      const [field, at] = [propertyName(property) ?? "", frame.place(property.key)];
      noteField(query, { field, use: "orders", at }, frame);
      return directionsOf(property.value, frame).map((direction): Order => ({ field, direction, at }));
    });
    return ways.reduce(sorted, query.alternatives);
  });
  return { kind: "query", alternatives };
}

/** Each of the alternatives, sorted at last in each of the ways. */
function sorted(alternatives: readonly Alternative[], ways: readonly Order[]): readonly Alternative[] {
  return alternatives.flatMap((one) => ways.map((order) => ({ ...one, orders: [...one.orders, order] })));
}

/** `sum(ctx, field)` and `average`: what is found has the field, as what is sorted by it has. */
export function readTotal(step: QueryStep): QueryValue {
  const { query, call, frame } = step;
  const field = constant(step, "field", 1);
  if (field === undefined) return broken(query);
  const at = frame.place(call.arguments[1] ?? call);
  noteField(query, { field, use: "orders", at }, frame);
  return every(query, (one) =>
    one.orders.some((order) => order.field === field)
      ? one
      : { ...one, orders: [...rangesFirst(one, field, at), { field, direction: "asc" as const, at }] },
  );
}

/** The order by the field of a range, which comes before the summed one. */
function rangesFirst(
  { filters, orders }: Alternative,
  field: string,
  at: Alternative["begins"],
): Alternative["orders"] {
  const range = filters.find(({ operator }) => operator.startsWith("<") || operator.startsWith(">"));
  if (orders.length > 0 || range === undefined || range.field === field) return orders;
  return [{ field: range.field, direction: "asc", at }];
}

/** The properties of a literal that is written here, each with a name; undefined where it is anything else. */
function propertiesOf(node: ESTree.Node): readonly ESTree.ObjectProperty[] | undefined {
  const literal = unwrap(node);
  if (literal.type !== "ObjectExpression") return undefined;
  const properties = literal.properties.filter(
    (property): property is ESTree.ObjectProperty => property.type === "Property",
  );
  // The language puts names that are numbers first, whatever the order in which they are written.
  const isPlain = properties.every((property) => /^(?!\d)/.test(propertyName(property) ?? "0"));
  return isPlain && properties.length === literal.properties.length ? properties : undefined;
}

function every(query: QueryValue, change: (one: Alternative) => Alternative): QueryValue {
  return { kind: "query", alternatives: query.alternatives.map(change) };
}

function broken(query: QueryValue): QueryValue {
  return every(query, (one) => ({ ...one, whole: false }));
}

function noteField(
  { alternatives }: QueryValue,
  { field, use, at }: Pick<FieldUse, "field" | "use"> & { readonly at: SourceNode },
  { run }: Frame,
): void {
  for (const { entity } of alternatives) run.report.field({ entity, field, use, at: spanOf(at.module, at.node) });
}

function constant({ call, frame }: QueryStep, what: "field" | "operator", index: number): string | undefined {
  const argument = call.arguments[index];
  const isGiven = argument && argument.type !== "SpreadElement";
  const reading = isGiven
    ? readHere(argument, frame)
    : { at: spanOf(frame.module, argument ?? call.callee), value: undefined };
  if (reading.value === undefined) frame.run.report.fault({ kind: "constant", what, at: reading.at, reading });
  return reading.value;
}

/** A direction that is no constant may be either. */
function directionsOf(node: ESTree.Node | undefined, frame: Frame): readonly Order["direction"][] {
  if (!node) return ["asc"];
  const value = node.type === "SpreadElement" ? undefined : readHere(node, frame).value;
  return value === "asc" || value === "desc" ? [value] : ["asc", "desc"];
}

/** The value of a member of an object that a const of the function holds, written `as const`. */
function localMember(node: ESTree.MemberExpression, frame: Frame): ESTree.Node | undefined {
  const object = unwrap(node.object);
  const init = object.type === "Identifier" ? frame.find(object.name)?.init : undefined;
  const literal = init?.type === "TSAsExpression" && isConst(init.typeAnnotation) ? unwrap(init) : undefined;
  if (literal?.type !== "ObjectExpression") return undefined;
  const found = literal.properties.findLast(
    (property) => property.type === "Property" && propertyName(property) === keyOf(node),
  );
  return found?.type === "Property" && literal.properties.every(({ type }) => type === "Property")
    ? found.value
    : undefined;
}

/** A constant string among the names of a function: a const of it may hold one, whatever else is of it does not. */
export function readHere(node: ESTree.Node, frame: Frame): Located<string> {
  const source = { project: frame.run.project, module: frame.module };
  const at = spanOf(frame.module, node);
  const bare = unwrap(node);
  if (bare.type === "Identifier") {
    const init = frame.find(bare.name)?.init;
    if (init) return { ...readHere(init, frame), at };
  }
  const member = bare.type === "MemberExpression" ? localMember(bare, frame) : undefined;
  if (member) return { ...readHere(member, frame), at };
  const local = walkNames(bare).find((name) => frame.find(name));
  if (local !== undefined) return { at, value: undefined, why: `\`${local}\` is known only when the app runs` };
  const { result, literals } = frame.run.project.trackLiterals(() => readConstant(source, node, isText));
  if (result.value !== undefined) frame.run.report.rely(literals, frame.place(node));
  return result;
}
