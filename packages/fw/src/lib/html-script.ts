import { isMarkup, textOf } from "./html.ts";

/** A value where JavaScript or JSON expects one: JSON that is also safe inside `<script>`. Nothing is `null`. */
export function scriptValue(value: unknown): string {
  const json = JSON.stringify(value, plain) ?? "null";
  const escaped = json.replace(unsafeInScript, escape16);
  // A bare word or number must not fuse with what the template has beside it.
  return /^["[{]/.test(escaped) ? escaped : ` ${escaped} `;
}

function plain(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Map) return Object.fromEntries(value);
  if (value instanceof Set) return [...value];
  return isMarkup(value) ? textOf(value) : value;
}

/** Text inside a quoted JavaScript or JSON string, without its quotes. */
export function scriptString(value: unknown): string {
  return textOf(value).replace(unsafeInString, escape16);
}

const unsafeInScript = /[<>&\u2028\u2029]/g;

// Everything that could end a string, a line, a template literal or a script element.
// oxlint-disable-next-line no-control-regex
const unsafeInString = /[\u0000-\u001f"'`\\/<>&=+$!\u007f\u2028\u2029]/g;

/** `\uXXXX` is the one escape that JavaScript and JSON share for every character. */
export function escape16(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
