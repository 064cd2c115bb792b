/** A text of `texts` with what `holes` say between them, as a template literal type has it. */
interface Pattern {
  readonly texts: readonly string[];
  readonly holes: readonly ("string" | "number" | "bigint")[];
}

/**
 * True for a text of the pattern, as TypeScript reads one: each hole ends where the text behind it comes first, which
 * takes time in proportion to the text's length whatever the pattern.
 */
export function isOfPattern(value: unknown, { texts, holes }: Pattern): boolean {
  const [first = "", last = ""] = [texts[0], texts.at(-1)];
  if (typeof value !== "string" || value.length < first.length + last.length) return false;
  if (!value.startsWith(first) || !value.endsWith(last)) return false;
  const end = value.length - last.length;
  let position = first.length;
  for (let i = 0; i < holes.length - 1; i++) {
    const behind = texts[i + 1] ?? "";
    const found = behind === "" ? position + 1 : value.indexOf(behind, position);
    if (found === -1 || found + behind.length > end) return false;
    if (!fits(value.slice(position, found), holes[i])) return false;
    position = found + behind.length;
  }
  return fits(value.slice(position, end), holes.at(-1));
}

function fits(text: string, hole: Pattern["holes"][number] | undefined): boolean {
  if (hole === "string") return true;
  if (hole === "bigint") return /^-?(?:0|[1-9]\d*|0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)$/.test(text);
  return text !== "" && Number.isFinite(Number(text));
}
