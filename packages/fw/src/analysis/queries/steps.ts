import type { ESTree } from "rolldown/utils";
import type { Located } from "../readers/declaration-syntax.ts";
import { isText, readConstant } from "../readers/source.ts";
import { isConst, keyOf, propertyName, unwrap } from "../source/expression.ts";
import { spanOf } from "../source/position.ts";
import { walkNames } from "../symbols/names-in.ts";
import type { Run } from "./run.ts";
import { find, type Alternative, type Frame, type Order, type QueryValue } from "./value.ts";

/** `where(field, operator, value)`. */
export function readFilter(run: Run, query: QueryValue, call: ESTree.CallExpression, frame: Frame): QueryValue {
  run.report.meet(call);
  const field = constant(run, "field", call, 0, frame);
  const operator = constant(run, "operator", call, 1, frame);
  if (field === undefined || operator === undefined) return broken(query);
  noteField(run, query, field, "filters", call, frame);
  const filter = { field, operator, at: { module: frame.module, node: call.arguments[0] ?? call } };
  run.report.meet(filter.at.node);
  return every(query, (each) => ({ ...each, filters: [...each.filters, filter] }));
}

/** `orderBy(field, direction)`. A direction that is no constant may be either. */
export function readOrder(run: Run, query: QueryValue, call: ESTree.CallExpression, frame: Frame): QueryValue {
  const field = constant(run, "field", call, 0, frame);
  if (field === undefined) return broken(query);
  noteField(run, query, field, "orders", call, frame);
  const at = { module: frame.module, node: call.arguments[0] ?? call };
  const directions = directionsOf(run, call, frame);
  const alternatives = query.alternatives.flatMap((each) =>
    directions.map((direction): Alternative => ({ ...each, orders: [...each.orders, { field, direction, at }] })),
  );
  return { kind: "query", alternatives };
}

/** `sortBy(chosen, sorts)`: any of the sorts. They are written out: each of them has its index. */
export function readSorts(run: Run, query: QueryValue, call: ESTree.CallExpression, frame: Frame): QueryValue {
  const given = call.arguments[1];
  const sorts = given && propertiesOf(given);
  const read = sorts?.map((sort) => propertiesOf(sort.value)?.map((each) => ({ ...each, name: propertyName(each) })));
  if (!sorts || !read || read.includes(undefined)) {
    const at = spanOf(frame.module, sorts?.find((_, i) => read?.[i] === undefined)?.value ?? given ?? call.callee);
    run.report.fault({ kind: "constant", what: "sorts", at, reading: { at, value: undefined } });
    return broken(query);
  }
  const alternatives = read.flatMap((fields = []): readonly Alternative[] => {
    const ways = fields.map(({ name, value, key }) => {
      const field = name ?? "";
      for (const { entity } of query.alternatives)
        run.report.field({ entity, field, use: "orders", at: spanOf(frame.module, key) });
      const { value: direction } = readHere(run, value, frame);
      const directions: readonly Order["direction"][] =
        direction === "asc" || direction === "desc" ? [direction] : ["asc", "desc"];
      return directions.map((each): Order => ({ field, direction: each, at: { module: frame.module, node: key } }));
    });
    return ways.reduce(sorted, query.alternatives);
  });
  return { kind: "query", alternatives };
}

/** Each of the alternatives, sorted at last in each of the ways. */
function sorted(alternatives: readonly Alternative[], ways: readonly Order[]): readonly Alternative[] {
  return alternatives.flatMap((each) => ways.map((order) => ({ ...each, orders: [...each.orders, order] })));
}

/** `sum(ctx, field)` and `average`: what is found has the field, as what is sorted by it has. */
export function readTotal(run: Run, query: QueryValue, call: ESTree.CallExpression, frame: Frame): QueryValue {
  const field = constant(run, "field", call, 1, frame);
  if (field === undefined) return broken(query);
  const at = { module: frame.module, node: call.arguments[1] ?? call };
  for (const { entity } of query.alternatives)
    run.report.field({ entity, field, use: "orders", at: spanOf(frame.module, at.node) });
  return every(query, (each) =>
    each.orders.some((order) => order.field === field)
      ? each
      : { ...each, orders: [...rangesFirst(each, field, at), { field, direction: "asc" as const, at }] },
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
  const properties = literal.properties.filter((each): each is ESTree.ObjectProperty => each.type === "Property");
  // The language puts names that are numbers first, whatever the order in which they are written.
  const isPlain = properties.every((each) => /^(?!\d)/.test(propertyName(each) ?? "0"));
  return isPlain && properties.length === literal.properties.length ? properties : undefined;
}

function every(query: QueryValue, change: (one: Alternative) => Alternative): QueryValue {
  return { kind: "query", alternatives: query.alternatives.map(change) };
}

function broken(query: QueryValue): QueryValue {
  return every(query, (each) => ({ ...each, whole: false }));
}

function noteField(
  run: Run,
  { alternatives }: QueryValue,
  field: string,
  use: "filters" | "orders",
  call: ESTree.CallExpression,
  { module }: Frame,
): void {
  const at = spanOf(module, call.arguments[0] ?? call);
  for (const { entity } of alternatives) run.report.field({ entity, field, use, at });
}

function constant(
  run: Run,
  what: "field" | "operator",
  call: ESTree.CallExpression,
  index: number,
  frame: Frame,
): string | undefined {
  const argument = call.arguments[index];
  if (!argument || argument.type === "SpreadElement") {
    const reading = { at: spanOf(frame.module, argument ?? call.callee), value: undefined };
    run.report.fault({ kind: "constant", what, at: reading.at, reading });
    return undefined;
  }
  const reading = readHere(run, argument, frame);
  if (reading.value === undefined) run.report.fault({ kind: "constant", what, at: reading.at, reading });
  return reading.value;
}

function directionsOf(run: Run, call: ESTree.CallExpression, frame: Frame): readonly ("asc" | "desc")[] {
  const argument = call.arguments[1];
  if (!argument) return ["asc"];
  const value = argument.type === "SpreadElement" ? undefined : readHere(run, argument, frame).value;
  if (value === "asc" || value === "desc") return [value];
  return ["asc", "desc"];
}

/** The value of a member of an object that a const of the function holds, written `as const`. */
function localMember(node: ESTree.MemberExpression, frame: Frame): ESTree.Node | undefined {
  const object = unwrap(node.object);
  const init = object.type === "Identifier" ? find(frame.scope, object.name)?.init : undefined;
  const literal = init?.type === "TSAsExpression" && isConst(init.typeAnnotation) ? unwrap(init) : undefined;
  if (literal?.type !== "ObjectExpression") return undefined;
  const found = literal.properties.findLast((each) => each.type === "Property" && propertyName(each) === keyOf(node));
  return found?.type === "Property" && literal.properties.every(({ type }) => type === "Property")
    ? found.value
    : undefined;
}

/** A constant string among the names of a function: a const of it may hold one, whatever else is of it does not. */
export function readHere(run: Run, node: ESTree.Node, frame: Frame): Located<string> {
  const source = { project: run.project, module: frame.module };
  const at = spanOf(frame.module, node);
  const bare = unwrap(node);
  if (bare.type === "Identifier") {
    const init = find(frame.scope, bare.name)?.init;
    if (init) return { ...readHere(run, init, frame), at };
  }
  const member = bare.type === "MemberExpression" ? localMember(bare, frame) : undefined;
  if (member) return { ...readHere(run, member, frame), at };
  const local = walkNames(bare).find((name) => find(frame.scope, name));
  if (local !== undefined) return { at, value: undefined, why: `\`${local}\` is known only when the app runs` };
  return readConstant(source, node, isText);
}
