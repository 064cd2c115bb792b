import { alternatives, limitsOf, type Field, type Schema } from "../model/schema.ts";
import type { BodyDecoder, Of } from "./body-decoder.ts";
import { notObject } from "./body-structure.ts";
import { isRecursive } from "./schema-queries.ts";
import { taggedVariants } from "../model/tagged-variants.ts";
import { member, text } from "./text.ts";

export function unionLines(writer: BodyDecoder, schema: Of<"union">, name: string): string[] {
  const tagged = taggedVariants(schema, writer.types);
  if (tagged !== undefined) return taggedLines(writer, schema, tagged);
  if (!isRecursive(schema, writer.types)) return trialLines(writer, schema);
  const trial = writer.define(writer.declare(), trialLines(writer, schema));
  const memo = `${name}m`;
  writer.keep(memo, "new WeakMap()");
  return [`  return memoized(${memo}, v, n, ${trial});`];
}

/**
 * Generates code that tries variants in a fixed order: it returns the first matching scalar, or else all matching lists
 * and objects merged.
 */
function trialLines(writer: BodyDecoder, schema: Of<"union">): string[] {
  const variants = alternatives(schema, (id) => writer.types[id]).toSorted((a, b) => precedence(a) - precedence(b));
  const composites = variants.filter((variant) => isComposite(variant, writer));
  const words = writer.words(schema);
  // A violated limit makes for a better message than a mismatched type.
  const hasLimits = variants.some((variant) => isLimited(variant, writer));
  const lines = [...(hasLimits ? ["  let best;"] : []), ...scalarLines(writer, variants, composites)];
  if (composites.length === 0) return [...lines, `  return ${hasLimits ? "noneOf(best, " : "wrong("}v, ${words});`];
  lines.push(hasLimits ? "  let out, r;" : "  let out, best, r;");
  for (const variant of composites) {
    const keep = variant === composites[0] ? "out = r" : "out = merged(out, r)";
    const decode = `(r = ${writer.decoder(variant)}(v, n)) !== undefined`;
    lines.push(`  if (${decode}) ${keep};`, "  else best = deepestFailure(best);");
  }
  lines.push(`  if (out === undefined) return noneOf(best, v, ${words});`);
  return [...lines, ...otherFields(writer, composites), "  return out;"];
}

function scalarLines(writer: BodyDecoder, variants: readonly Schema[], composites: readonly Schema[]): string[] {
  const lines: string[] = [];
  // An integer that a double can represent decodes as a number; only larger ones need 64 bits.
  const isMixed = ["number", "int64"].every((kind) => variants.some((variant) => variant.kind === kind));
  if (isMixed) lines.push(`  if (Number.isFinite(v)) return v;`);
  for (const variant of variants) {
    if (composites.includes(variant)) continue;
    const test = writer.test(variant, "v");
    if (test !== undefined) lines.push(`  if (${test}) return v;`);
    else {
      const note = isLimited(variant, writer) ? " best = deepestFailure(best);" : "";
      lines.push(`  { const r = ${writer.decoder(variant)}(v, n); if (r !== undefined) return r;${note} }`);
    }
  }
  return lines;
}

function isLimited(variant: Schema, writer: BodyDecoder): boolean {
  return variant.kind !== "array" && limitsOf(variant) !== undefined && writer.test(variant, "v") === undefined;
}

/** Orders scalars from specific to general: a timestamp is also a string, and a 64-bit integer is also a number. */
function precedence({ kind }: Schema): number {
  if (kind === "date") return 0;
  if (kind === "int64") return 2;
  if (kind === "number") return 3;
  return kind === "json" ? 5 : 1;
}

const composite: ReadonlySet<Schema["kind"]> = new Set(["array", "tuple", "record", "object", "json"]);

function isComposite(schema: Schema, { types }: BodyDecoder): boolean {
  const target = schema.kind === "ref" ? types[schema.id] : schema;
  return target === undefined || composite.has(target.kind);
}

/**
 * Generates checks of fields that only non-matching variants declare: such a field is dropped from the value, but must
 * have a declared type.
 */
function otherFields(writer: BodyDecoder, variants: readonly Schema[]): string[] {
  // Arbitrary JSON may have any field.
  if (variants.some(({ kind }) => kind === "json")) return [];
  const objects = variants.flatMap((variant) => fieldsOf(variant, writer));
  const names = new Set(objects.flatMap((fields) => fields.map(({ name }) => name)));
  return [...names].flatMap((name) => {
    const schemas = objects.flatMap((fields) => fields.find((field) => field.name === name)?.schema ?? []);
    if (schemas.length === objects.length || name === "__proto__") return [];
    const schema = writer.anyOf(schemas);
    const present = `${member("v", name)} !== undefined && ${member("out", name)} === undefined`;
    const test = writer.test(schema, member("v", name));
    const key = text(name);
    return test === undefined
      ? [
          `  if (${present} && ${writer.decoder(schema)}(${member("v", name)}, n) === undefined) return pushPath(${key});`,
        ]
      : [`  if (${present} && !(${test})) return wrongAt(${member("v", name)}, ${key}, ${writer.words(schema)});`];
  });
}

function fieldsOf(schema: Schema, { types }: BodyDecoder): readonly (readonly Field[])[] {
  const target = schema.kind === "ref" ? types[schema.id] : schema;
  return target?.kind === "object" ? [target.fields] : [];
}

/** Generates code that selects an object variant by its tag, and any other variant by its type. */
function taggedLines(
  writer: BodyDecoder,
  schema: Of<"union">,
  { tag, variants }: NonNullable<ReturnType<typeof taggedVariants>>,
): string[] {
  const objects = new Set(variants.values());
  const others = alternatives(schema, (id) => writer.types[id]).filter((variant) => !objects.has(variant));
  const values = [...variants.keys()].map((value) => ({ kind: "literal", value }) as const);
  const cases = [...variants].map(([value, variant]) => {
    const literal = typeof value === "string" ? text(value) : String(value);
    return `    case ${literal}: return ${writer.decoder(variant)}(v, n);`;
  });
  return [
    ...otherLines(writer, schema, others),
    `  switch (${member("v", tag)}) {`,
    ...cases,
    `    default: return wrongAt(${member("v", tag)}, ${text(tag)}, ${writer.words({ kind: "union", variants: values })});`,
    "  }",
  ];
}

/** Generates code for values that are not objects. */
function otherLines(writer: BodyDecoder, schema: Schema, others: readonly Schema[]): string[] {
  const words = writer.words(schema);
  if (others.length === 0) return [notObject(words)];
  const other = writer.anyOf(others);
  const test = writer.test(other, "v");
  if (test !== undefined) return [`  if (${test}) return v;`, notObject(words)];
  return [
    `  if (typeof v !== "object" || v === null || Array.isArray(v)) {`,
    `    const r = ${writer.decoder(other)}(v, n);`,
    `    return r === undefined ? noneOf(deepestFailure(), v, ${words}) : r;`,
    "  }",
  ];
}
