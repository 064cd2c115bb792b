import type { Field, Schema, TupleItem } from "../model/schema.ts";
import type { BodyDecoder, Of } from "./body-decoder.ts";
import { key, member, objectLiteral, property, text } from "./text.ts";

/** Generates the lines that decode an array. `limits` is the name of a constant; undefined without limits. */
export function arrayLines(writer: BodyDecoder, { items }: Of<"array">, limits: string | undefined): string[] {
  const test = writer.test(items, "v[i]");
  const list = [
    `  if (!Array.isArray(v)) return wrong(v, "list");`,
    ...(limits === undefined ? [] : [`  if (within(v, ${limits}) === undefined) return undefined;`]),
  ];
  if (test !== undefined) {
    return [
      ...list,
      `  for (let i = 0; i < v.length; i++) if (!(${test})) return wrongAt(v[i], i, ${writer.words(items)});`,
      "  return v;",
    ];
  }
  return [
    ...list,
    "  const out = [];",
    "  for (let i = 0; i < v.length; i++) {",
    `    const item = ${writer.decoder(items)}(v[i], n);`,
    "    if (item === undefined) return pushPath(i);",
    "    out.push(item);",
    "  }",
    "  return out;",
  ];
}

export function tupleLines(writer: BodyDecoder, { items, rest }: Of<"tuple">): string[] {
  const least = items.filter((item) => !item.optional).length;
  const most = rest === undefined ? ` || v.length > ${items.length}` : "";
  const lines = [
    `  if (!Array.isArray(v)${most}) return wrong(v, ${text(tupleWords(items, rest))});`,
    "  const out = [];",
  ];
  for (const [i, item] of items.entries()) {
    const present = i < least ? "  {" : `  if (v.length > ${i}) {`;
    lines.push(
      present,
      `    const item = ${writer.decoder(item.schema)}(v[${i}], n);`,
      `    if (item === undefined) return pushPath(${i});`,
      "    out.push(item);",
      "  }",
    );
  }
  if (rest !== undefined) {
    lines.push(
      `  for (let i = ${items.length}; i < v.length; i++) {`,
      `    const item = ${writer.decoder(rest)}(v[i], n);`,
      "    if (item === undefined) return pushPath(i);",
      "    out.push(item);",
      "  }",
    );
  }
  return [...lines, "  return out;"];
}

function tupleWords(items: readonly TupleItem[], rest: Schema | undefined): string {
  return rest === undefined ? `list of ${items.length}` : "list";
}

/**
 * Generates the lines that decode a record. `keys` is the name of the constant with the limits for its keys, if there
 * are any.
 */
export function recordLines(writer: BodyDecoder, { values }: Of<"record">, keys: string | undefined): string[] {
  return [
    notObject(`"object"`),
    "  const out = {};",
    "  for (const name of Object.keys(v)) {",
    `    if (name === "__proto__") continue;`,
    ...(keys === undefined ? [] : [`    if (keyWithin(name, ${keys}) === undefined) return undefined;`]),
    `    const value = ${writer.decoder(values)}(v[name], n);`,
    "    if (value === undefined) return pushPath(name);",
    "    out[name] = value;",
    "  }",
    "  return out;",
  ];
}

export function objectLines(writer: BodyDecoder, { fields }: Of<"object">): string[] {
  const ownFields = fields.filter((field) => field.name !== "__proto__");
  const reads = ownFields.flatMap((field, i) => fieldLines(writer, field, `f${i}`));
  const required = ownFields.flatMap((field, i) => (field.optional ? [] : [`${key(field.name)}: f${i}`]));
  const optional = ownFields.flatMap((field, i) =>
    field.optional ? [`  if (f${i} !== undefined) ${property("out", field.name)} = f${i};`] : [],
  );
  return [notObject(`"object"`), ...reads, `  const out = ${objectLiteral(required)};`, ...optional, "  return out;"];
}

function fieldLines(writer: BodyDecoder, field: Field, name: string): string[] {
  const value = member("v", field.name);
  const test = writer.test(field.schema, name);
  const absent = field.optional ? `${name} !== undefined && ` : "";
  if (test !== undefined) {
    return [
      `  const ${name} = ${value};`,
      `  if (${absent}!(${test})) return wrongAt(${name}, ${text(field.name)}, ${writer.words(field.schema)});`,
    ];
  }
  return [
    `  let ${name} = ${value};`,
    `  if (${absent}(${name} = ${writer.decoder(field.schema)}(${name}, n)) === undefined) return pushPath(${text(field.name)});`,
  ];
}

/** Generates an early return for a value that is not an object. */
export function notObject(words: string): string {
  return `  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, ${words});`;
}
