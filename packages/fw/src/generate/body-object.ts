import type { Field } from "../model/schema.ts";
import type { BodyDecoder, Of } from "./body-decoder.ts";
import { key, member, objectLiteral, property, text } from "./text.ts";

export function recordLines(writer: BodyDecoder, { values }: Of<"record">): string[] {
  return [
    notObject(`"object"`),
    "  const out = {};",
    "  for (const name of Object.keys(v)) {",
    `    if (name === "__proto__") continue;`,
    `    const value = ${writer.decoder(values)}(v[name], n);`,
    "    if (value === undefined) return pushPath(name);",
    "    out[name] = value;",
    "  }",
    "  return out;",
  ];
}

export function objectLines(writer: BodyDecoder, { fields }: Of<"object">): string[] {
  const kept = fields.filter((field) => field.name !== "__proto__");
  const reads = kept.flatMap((field, i) => fieldLines(writer, field, `f${i}`));
  const required = kept.flatMap((field, i) => (field.optional ? [] : [`${key(field.name)}: f${i}`]));
  const optional = kept.flatMap((field, i) =>
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

/** Leaves the function for what is no object. */
export function notObject(words: string): string {
  return `  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, ${words});`;
}
