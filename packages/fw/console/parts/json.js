// JSON that keeps numbers as they are written, because JavaScript rounds 64-bit integers.

/** A number that JavaScript would write with other digits, such as a large 64-bit integer. */
export class ExactNumber {
  constructor(text) {
    this.text = text;
  }

  /** The number to which JavaScript rounds it. */
  get rounded() {
    return Number(this.text);
  }
}

const tokens = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Parses JSON. A number that JavaScript would write differently becomes an ExactNumber. */
export function parseJson(text) {
  // Checks the syntax first, so that an error names a position in the original text.
  const value = JSON.parse(text);
  const isExact = (token) => token.startsWith('"') || String(Number(token)) === token;
  if ((text.match(tokens) ?? []).every(isExact)) return value;
  // Find a member name that no object in the value has.
  const plain = JSON.stringify(value);
  let tag = "#";
  while (plain.includes(tag)) tag += "#";
  const tagged = text.replaceAll(tokens, (token) => (isExact(token) ? token : JSON.stringify({ [tag]: token })));
  return JSON.parse(tagged, (_name, each) => (each?.[tag] === undefined ? each : new ExactNumber(each[tag])));
}

/**
 * Formats lists and objects as JSON. `leafText` returns the text of any other value, and undefined for a structure.
 */
export function structureText(value, leafText, indent = "  ", margin = "\n") {
  const leaf = leafText(value);
  if (leaf !== undefined) return leaf;
  const isList = Array.isArray(value);
  const inner = indent === "" ? "" : margin + indent;
  const textOf = (each) => structureText(each, leafText, indent, inner);
  const member = ([name, each]) => `${JSON.stringify(name)}:${indent === "" ? "" : " "}${textOf(each)}`;
  const parts = isList ? value.map(textOf) : Object.entries(value).map(member);
  const [open, close] = isList ? "[]" : "{}";
  if (parts.length === 0) return open + close;
  return `${open}${inner}${parts.join(`,${inner}`)}${indent === "" ? "" : margin}${close}`;
}

/** Formats a value of `parseJson`. */
export function jsonText(value, indent) {
  return structureText(
    value,
    (each) => {
      if (each instanceof ExactNumber) return each.text;
      return typeof each === "object" && each !== null ? undefined : JSON.stringify(each ?? null);
    },
    indent,
  );
}
