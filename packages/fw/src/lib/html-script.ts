import { isMarkup, textOf } from "./html.ts";

/** Encodes a value as JSON for JavaScript or JSON, safe even inside `<script>`; `null` for a missing value. */
export function scriptValue(value: unknown): string {
  const json = JSON.stringify(value, plain) ?? "null";
  const escaped = json.replace(unsafeInScript, escape16);
  // Adds spaces so that a word or number does not merge with the surrounding template.
  return /^["[{]/.test(escaped) ? escaped : ` ${escaped} `;
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  return isMarkup(value) ? textOf(value) : value;
}

/** Escapes text for a JavaScript or JSON string whose quotes are in the template. */
export function scriptString(value: unknown): string {
  return textOf(value).replace(unsafeInString, escape16);
}

const unsafeInScript = /[<>&\u2028\u2029]/g;

// Characters that could end a string, a line, a template literal or a script element.
// oxlint-disable-next-line no-control-regex
const unsafeInString = /[\u0000-\u001f"'`\\/<>&=+$!\u007f\u2028\u2029]/g;

/**
 * Escapes a character as `\uXXXX`, the only escape sequence for arbitrary characters that JavaScript and JSON share.
 */
export function escape16(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
