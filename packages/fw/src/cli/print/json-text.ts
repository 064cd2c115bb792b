// JSON.stringify leaves DEL, C1 controls, separators and bidirectional marks as they are; a terminal would obey them.
const hidden = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** JSON with every invisible character escaped: the same value, harmless when shown. Ends with a line feed. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replace(hidden, escaped)}\n`;
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => unit(character.charCodeAt(index))).join("");
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
