import type { Schema, TypeTable } from "../../model/schema.ts";

/** A schema as one short line, refs by the part of their id behind the path. */
export function schemaText(schema: Schema): string {
  switch (schema.kind) {
    case "literal":
      return JSON.stringify(schema.value);
    case "array":
      return `${wrapped(schema.items)}[]`;
    case "record":
      return `{ [*]: ${schemaText(schema.values)} }`;
    case "tuple": {
      const items = schema.items.map((item) => schemaText(item.schema) + (item.optional ? "?" : ""));
      return `[${[...items, ...(schema.rest ? [`...${schemaText(schema.rest)}`] : [])].join(", ")}]`;
    }
    case "object":
      return schema.fields.length === 0
        ? "{}"
        : `{ ${schema.fields.map((each) => `${each.name}${each.optional ? "?" : ""}: ${schemaText(each.schema)}`).join("; ")} }`;
    case "union":
      return `${schema.variants.map(schemaText).join(" | ")}${schema.tag === undefined ? "" : ` by ${schema.tag}`}`;
    case "ref":
      return `&${schema.id.replace(/[\w./-]*#/g, "")}`;
    default:
      return schema.kind;
  }
}

function wrapped(schema: Schema): string {
  return schema.kind === "union" ? `(${schemaText(schema)})` : schemaText(schema);
}

/** Whether two schemas allow the same values: names, the order of fields and of union members aside. */
export function sameSchema(
  a: Schema,
  inA: TypeTable,
  b: Schema,
  inB: TypeTable,
  assumed: ReadonlySet<string> = new Set(),
): boolean {
  if (a.kind === "ref" || b.kind === "ref") {
    const pair = `${JSON.stringify(a)} = ${JSON.stringify(b)}`;
    if (assumed.has(pair)) return true;
    const left = a.kind === "ref" ? inA[a.id] : a;
    const right = b.kind === "ref" ? inB[b.id] : b;
    return left !== undefined && right !== undefined && sameSchema(left, inA, right, inB, new Set(assumed).add(pair));
  }
  const same = (left: Schema | undefined, right: Schema | undefined): boolean =>
    left === undefined || right === undefined ? left === right : sameSchema(left, inA, right, inB, assumed);
  if (a.kind === "array" && b.kind === "array") return same(a.items, b.items);
  if (a.kind === "record" && b.kind === "record") return same(a.values, b.values);
  if (a.kind === "tuple" && b.kind === "tuple") {
    return (
      a.items.length === b.items.length &&
      same(a.rest, b.rest) &&
      a.items.every(
        (item, index) => item.optional === b.items[index]?.optional && same(item.schema, b.items[index]?.schema),
      )
    );
  }
  if (a.kind === "object" && b.kind === "object") {
    const others = new Map(b.fields.map((each) => [each.name, each]));
    return (
      a.fields.length === b.fields.length &&
      a.fields.every(
        (each) => each.optional === others.get(each.name)?.optional && same(each.schema, others.get(each.name)?.schema),
      )
    );
  }
  if (a.kind === "union" && b.kind === "union") return a.tag === b.tag && sameMembers(a.variants, b.variants, same);
  return JSON.stringify(a) === JSON.stringify(b);
}

function sameMembers(
  a: readonly Schema[],
  b: readonly Schema[],
  same: (left: Schema, right: Schema) => boolean,
): boolean {
  const rest = [...b];
  for (const each of a) {
    const index = rest.findIndex((other) => same(each, other));
    if (index === -1) return false;
    rest.splice(index, 1);
  }
  return rest.length === 0;
}
