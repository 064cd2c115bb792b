import { assertNever } from "../lib/assert-never.ts";
import { jsonDepth } from "../lib/limits.ts";
import type { Field, Schema, TupleItem, TypeTable } from "../model/schema.ts";
import { testOf } from "./plain-test.ts";
import { isRecursive, reachable } from "./reach.ts";
import { taggedVariants } from "./tagged-variants.ts";
import { key, member, objectLiteral, property, text } from "./text.ts";
import { typeWords } from "./type-words.ts";

type Of<Kind extends Schema["kind"]> = Extract<Schema, { kind: Kind }>;

/**
 * Writes functions `(v, n) => value` that check a JSON value and copy what the schema declares; `n` counts nesting.
 * They return undefined for another shape, with the reason noted (`runtime/decode-body.ts`).
 */
export interface BodyDecoder {
  /** The name of the function that decodes `schema`, written on first use. */
  decoder(schema: Schema): string;
  /** The name of the function that decodes an object of these fields. */
  object(fields: readonly Field[]): string;
  /** The functions written so far. */
  readonly functions: readonly string[];
}

/** `exact`: bodies are parsed with `parseExact`, which makes bigints of large integers. */
export function bodyDecoder(types: TypeTable, exact: boolean, prefix: string): BodyDecoder {
  const functions: string[] = [];
  const written = new Map<Schema | string, string>();

  function decoder(schema: Schema): string {
    if (schema.kind === "ref") return reference(schema.id);
    return written.get(schema) ?? body(schema, remembered(schema));
  }

  function object(fields: readonly Field[]): string {
    return body({ kind: "object", fields }, declare());
  }

  function remembered(schema: Schema | string): string {
    const name = declare();
    written.set(schema, name);
    return name;
  }

  function declare(): string {
    return `${prefix}${functions.push("") - 1}`;
  }

  function define(name: string, lines: readonly string[]): string {
    functions[Number(name.slice(prefix.length))] = [`function ${name}(v, n) {`, ...lines, "}"].join("\n");
    return name;
  }

  /** A named type; one that contains itself counts its nesting. */
  function reference(id: string): string {
    const known = written.get(id);
    if (known !== undefined) return known;
    const target = types[id] ?? missing(id);
    if (!reachable(target, types).has(id)) return decoder(target);
    const outer = remembered(id);
    return define(outer, [`  return n > ${jsonDepth} ? tooDeep() : ${decoder(target)}(v, n + 1);`]);
  }

  function body(schema: Exclude<Schema, { kind: "ref" }>, name: string): string {
    const test = plainTest(schema, "v");
    if (test !== undefined) return define(name, [`  return ${test} ? v : wrong(v, ${words(schema)});`]);
    switch (schema.kind) {
      case "number":
        return define(name, ["  return bodyNumber(v);"]);
      case "int64":
        return define(name, ["  return bodyInt64(v);"]);
      case "date":
        return define(name, ["  return toDate(v);"]);
      case "json":
        return define(name, ["  return bodyJSON(v, n);"]);
      case "array":
        return define(name, arrayLines(schema));
      case "tuple":
        return define(name, tupleLines(schema));
      case "record":
        return define(name, recordLines(schema));
      case "object":
        return define(name, objectLines(schema));
      case "union":
        return define(name, unionLines(schema, name));
      case "string":
      case "int":
      case "boolean":
      case "null":
      case "literal":
      case "blob":
      case "void":
        throw new Error(`a JSON body holds no ${schema.kind}`);
      default:
        return assertNever(schema);
    }
  }

  function words(schema: Schema): string {
    return text(typeWords(schema, types));
  }

  function plainTest(schema: Schema, value: string): string | undefined {
    return testOf(schema, value, { exact, stringSet });
  }

  function stringSet(strings: readonly string[]): string {
    const name = declare();
    functions[Number(name.slice(prefix.length))] = `const ${name} = new Set([${strings.map(text).join(", ")}]);`;
    return name;
  }

  function arrayLines({ items }: Of<"array">): string[] {
    const test = plainTest(items, "v[i]");
    const list = `  if (!Array.isArray(v)) return wrong(v, "list");`;
    if (test !== undefined) {
      return [
        list,
        `  for (let i = 0; i < v.length; i++) if (!(${test})) return wrongAt(v[i], i, ${words(items)});`,
        "  return v;",
      ];
    }
    return [
      list,
      "  const out = [];",
      "  for (let i = 0; i < v.length; i++) {",
      `    const item = ${decoder(items)}(v[i], n);`,
      "    if (item === undefined) return under(i);",
      "    out.push(item);",
      "  }",
      "  return out;",
    ];
  }

  function tupleLines({ items, rest }: Of<"tuple">): string[] {
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
        `    const item = ${decoder(item.schema)}(v[${i}], n);`,
        `    if (item === undefined) return under(${i});`,
        "    out.push(item);",
        "  }",
      );
    }
    if (rest !== undefined) {
      lines.push(
        `  for (let i = ${items.length}; i < v.length; i++) {`,
        `    const item = ${decoder(rest)}(v[i], n);`,
        "    if (item === undefined) return under(i);",
        "    out.push(item);",
        "  }",
      );
    }
    return [...lines, "  return out;"];
  }

  function recordLines({ values }: Of<"record">): string[] {
    return [
      notObject(`"object"`),
      "  const out = {};",
      "  for (const name of Object.keys(v)) {",
      `    if (name === "__proto__") continue;`,
      `    const value = ${decoder(values)}(v[name], n);`,
      "    if (value === undefined) return under(name);",
      "    out[name] = value;",
      "  }",
      "  return out;",
    ];
  }

  function objectLines({ fields }: Of<"object">): string[] {
    const kept = fields.filter((field) => field.name !== "__proto__");
    const reads = kept.flatMap((field, i) => fieldLines(field, `f${i}`));
    const required = kept.flatMap((field, i) => (field.optional ? [] : [`${key(field.name)}: f${i}`]));
    const optional = kept.flatMap((field, i) =>
      field.optional ? [`  if (f${i} !== undefined) ${property("out", field.name)} = f${i};`] : [],
    );
    return [notObject(`"object"`), ...reads, `  const out = ${objectLiteral(required)};`, ...optional, "  return out;"];
  }

  function fieldLines(field: Field, name: string): string[] {
    const value = member("v", field.name);
    const test = plainTest(field.schema, name);
    const absent = field.optional ? `${name} !== undefined && ` : "";
    if (test !== undefined) {
      return [
        `  const ${name} = ${value};`,
        `  if (${absent}!(${test})) return wrongAt(${name}, ${text(field.name)}, ${words(field.schema)});`,
      ];
    }
    return [
      `  let ${name} = ${value};`,
      `  if (${absent}(${name} = ${decoder(field.schema)}(${name}, n)) === undefined) return under(${text(field.name)});`,
    ];
  }

  function unionLines(schema: Of<"union">, name: string): string[] {
    const tagged = schema.tag === undefined ? undefined : taggedVariants(schema, schema.tag, types);
    if (schema.tag !== undefined && tagged !== undefined) return taggedLines(schema, schema.tag, tagged);
    if (!isRecursive(schema, types)) return trialLines(schema);
    const trial = define(declare(), trialLines(schema));
    const memo = `${name}m`;
    functions.push(`const ${memo} = new WeakMap();`);
    return [`  return once(${memo}, v, n, ${trial});`];
  }

  /** The variants in order; the first that fits is the value. */
  function trialLines(schema: Of<"union">): string[] {
    const plain = schema.variants.flatMap((variant) => plainTest(variant, "v") ?? []);
    const lines = [`  let r, best;`];
    for (const variant of schema.variants) {
      const test = plainTest(variant, "v");
      if (test !== undefined) lines.push(`  if (${test}) return v;`);
      else lines.push(`  if ((r = ${decoder(variant)}(v, n)) !== undefined) return r;`, `  best = closest(best);`);
    }
    if (plain.length === schema.variants.length) lines.shift();
    return [...lines, `  return noneOf(best, v, ${words(schema)});`];
  }

  /** Object variants by their tag, everything else in order. */
  function taggedLines(
    schema: Of<"union">,
    tag: string,
    tagged: ReadonlyMap<string | number | boolean, Schema>,
  ): string[] {
    const objects = new Set(tagged.values());
    const others = schema.variants.filter((variant) => !objects.has(variant));
    const values = [...tagged.keys()].map((value) => ({ kind: "literal", value }) as const);
    const lines = [];
    for (const variant of others) {
      const test = plainTest(variant, "v");
      lines.push(
        test === undefined
          ? `  { const r = ${decoder(variant)}(v, n); if (r !== undefined) return r; }`
          : `  if (${test}) return v;`,
      );
    }
    lines.push(notObject(words(schema)), `  switch (${member("v", tag)}) {`);
    for (const [value, variant] of tagged)
      lines.push(
        `    case ${typeof value === "string" ? text(value) : String(value)}: return ${decoder(variant)}(v, n);`,
      );
    return [
      ...lines,
      `    default: return wrongAt(${member("v", tag)}, ${text(tag)}, ${words({ kind: "union", variants: values })});`,
      "  }",
    ];
  }

  return { decoder, object, functions };
}

function notObject(words: string): string {
  return `  if (typeof v !== "object" || v === null || Array.isArray(v)) return wrong(v, ${words});`;
}

function tupleWords(items: readonly TupleItem[], rest: Schema | undefined): string {
  return rest === undefined ? `list of ${items.length}` : "list";
}

function missing(id: string): never {
  throw new Error(`the type table has no ${id}`);
}
