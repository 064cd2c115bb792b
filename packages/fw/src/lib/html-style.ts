import { textOf } from "./html.ts";

const blockedStyle = "blocked";

const plainValue = /^[A-Za-z0-9 _#%.,+\-\u0080-\uffff]*$/;
const functionValue =
  /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|var|calc|min|max|clamp|translate[XY]?|rotate|scale)\([A-Za-z0-9 _%.,+*-]*\)$/;

/**
 * Escapes a CSS property value: words, numbers, colors, or one call of a harmless function. Anything else is
 * neutralized.
 */
export function styleValue(value: unknown): string {
  const source = textOf(value).trim();
  return plainValue.test(source) || functionValue.test(source) ? source : blockedStyle;
}

/** Escapes text for a CSS string whose quotes are in the template. */
export function styleString(value: unknown): string {
  return textOf(value).replace(unsafeInString, escape);
}

// oxlint-disable-next-line no-control-regex
const unsafeInString = /[\u0000-\u001f"'()*/:;<>@[\\\]{}&+\u007f\u2028\u2029]/g;

function escape(character: string): string {
  return character === "\0" ? "\\fffd " : `\\${character.charCodeAt(0).toString(16)} `;
}

/**
 * Escapes a value for an attribute that htmx parses. Allows letters, digits and separators, but no filter expressions;
 * returns "blocked" for anything else.
 */
export function token(value: unknown): string {
  const source = textOf(value);
  return /^[\w\s:.,#>~*+-]*$/.test(source) ? source : blockedStyle;
}
