import type { Schema, TupleItem } from "../model/schema.ts";
import type { BodyDecoder, Of } from "./body-decoder.ts";
import { text } from "./text.ts";

/** `limits` is the name of what is kept of them. */
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
