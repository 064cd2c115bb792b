import { visible } from "./visible.ts";

/** The maximum number of characters of a rejected value that a message repeats. */
const shownCharacters = 64;

/** Formats one step of a path within a JSON value: `.name`, `["odd name"]` or `[3]`. */
export function pathStep(key: string | number): string {
  if (typeof key === "number") return `[${key}]`;
  return /^[A-Za-z_$][\w$]{0,63}$/.test(key) ? `.${key}` : `[${quoted(key)}]`;
}

/** Quotes a string as JSON, truncated if it is long. */
export function quoted(text: string): string {
  return visible(JSON.stringify(clipped(text)));
}

export function clipped(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}
