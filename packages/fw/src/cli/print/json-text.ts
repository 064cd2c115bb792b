// Characters that JSON.stringify leaves unescaped but a terminal would interpret or hide: DEL, C1 controls, separators,
// and format characters such as bidirectional marks.
const invisible = /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Serializes JSON with every invisible character escaped: the same value, safe to print. Ends with a line feed. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2).replace(invisible, escapeCharacter)}\n`;
}

function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, index) => unit(character.charCodeAt(index))).join("");
}

function unit(code: number): string {
  return `\\u${code.toString(16).padStart(4, "0")}`;
}
