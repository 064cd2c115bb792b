import type { Schema } from "../model/schema.ts";
import { notObject, type BodyWriter, type Of } from "./body-writer.ts";
import { isRecursive } from "./reach.ts";
import { taggedVariants } from "./tagged-variants.ts";
import { member, text } from "./text.ts";

export function unionLines(writer: BodyWriter, schema: Of<"union">, name: string): string[] {
  const tagged = schema.tag === undefined ? undefined : taggedVariants(schema, schema.tag, writer.types);
  if (schema.tag !== undefined && tagged !== undefined) return taggedLines(writer, schema, schema.tag, tagged);
  if (!isRecursive(schema, writer.types)) return trialLines(writer, schema);
  const trial = writer.define(writer.declare(), trialLines(writer, schema));
  const memo = `${name}m`;
  writer.keep(memo, "new WeakMap()");
  return [`  return once(${memo}, v, n, ${trial});`];
}

/** The variants in order; the first that fits is the value. */
function trialLines(writer: BodyWriter, schema: Of<"union">): string[] {
  const plain = schema.variants.flatMap((variant) => writer.test(variant, "v") ?? []);
  const lines = [`  let r, best;`];
  for (const variant of schema.variants) {
    const test = writer.test(variant, "v");
    if (test !== undefined) lines.push(`  if (${test}) return v;`);
    else lines.push(`  if ((r = ${writer.decoder(variant)}(v, n)) !== undefined) return r;`, `  best = closest(best);`);
  }
  if (plain.length === schema.variants.length) lines.shift();
  return [...lines, `  return noneOf(best, v, ${writer.words(schema)});`];
}

/** Object variants by their tag, everything else in order. */
function taggedLines(
  writer: BodyWriter,
  schema: Of<"union">,
  tag: string,
  tagged: ReadonlyMap<string | number | boolean, Schema>,
): string[] {
  const objects = new Set(tagged.values());
  const others = schema.variants.filter((variant) => !objects.has(variant));
  const values = [...tagged.keys()].map((value) => ({ kind: "literal", value }) as const);
  const lines = [];
  for (const variant of others) {
    const test = writer.test(variant, "v");
    lines.push(
      test === undefined
        ? `  { const r = ${writer.decoder(variant)}(v, n); if (r !== undefined) return r; }`
        : `  if (${test}) return v;`,
    );
  }
  lines.push(notObject(writer.words(schema)), `  switch (${member("v", tag)}) {`);
  for (const [value, variant] of tagged)
    lines.push(
      `    case ${typeof value === "string" ? text(value) : String(value)}: return ${writer.decoder(variant)}(v, n);`,
    );
  return [
    ...lines,
    `    default: return wrongAt(${member("v", tag)}, ${text(tag)}, ${writer.words({ kind: "union", variants: values })});`,
    "  }",
  ];
}
