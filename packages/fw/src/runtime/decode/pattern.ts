/** The fixed parts of a template literal type, and the types of the holes between them. */
interface TemplatePattern {
  readonly texts: readonly string[];
  readonly holes: readonly ("string" | "number" | "bigint")[];
}

/**
 * True if a string matches the template literal type the way TypeScript matches it: each hole ends at the first
 * occurrence of the next fixed part. Takes linear time for any pattern.
 */
export function isOfPattern(value: unknown, { texts, holes }: TemplatePattern): boolean {
  const [first = "", last = ""] = [texts[0], texts.at(-1)];
  if (typeof value !== "string" || value.length < first.length + last.length) return false;
  if (!value.startsWith(first) || !value.endsWith(last)) return false;
  const end = value.length - last.length;
  let position = first.length;
  for (let i = 0; i < holes.length - 1; i++) {
    const next = texts[i + 1] ?? "";
    const nextStart = next === "" ? position + 1 : value.indexOf(next, position);
    if (nextStart === -1 || nextStart + next.length > end) return false;
    if (!fits(value.slice(position, nextStart), holes[i])) return false;
    position = nextStart + next.length;
  }
  return fits(value.slice(position, end), holes.at(-1));
}

function fits(text: string, hole: TemplatePattern["holes"][number] | undefined): boolean {
  if (hole === "string") return true;
  if (hole === "bigint") return /^-?(?:0|[1-9]\d*|0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/.test(text);
  return text !== "" && Number.isFinite(Number(text));
}
