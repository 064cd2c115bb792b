import { alternatives, type Schema, type TypeTable } from "../../model/schema.ts";

/** Prints a schema as one short line, with refs shortened to the part of their id after the path. */
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
    case "string":
      return schema.pattern ? `text like ${schema.pattern.texts.join("*")}` : "string";
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

/** True if two schemas accept the same values, ignoring ref ids, field order and union member order. */
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
  if (a.kind === "union" && b.kind === "union") {
    const [left, right] = [alternatives(a, (id) => inA[id]), alternatives(b, (id) => inB[id])];
    return a.tag === b.tag && holdsAll(left, right, same) && holdsAll(right, left, (x, y) => same(y, x));
  }
  return JSON.stringify(a) === JSON.stringify(b);
}

function holdsAll(a: readonly Schema[], b: readonly Schema[], same: (left: Schema, right: Schema) => boolean): boolean {
  return a.every((each) => b.some((other) => same(each, other)));
}
