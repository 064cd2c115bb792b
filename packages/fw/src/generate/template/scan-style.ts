import type { Context, Style } from "./context.ts";
import { TemplateError } from "./template-error.ts";
import { scanURL, urlStart, type URLState } from "./scan-url.ts";

type StyleState = Pick<Context, "css"> & URLState;

/** Follows a stretch of literal CSS. */
export function scanStyle(text: string, from: StyleState): StyleState {
  let state = from;
  for (let at = 0; at < text.length;) [at, state] = step(text, at, state);
  return state;
}

function step(text: string, at: number, state: StyleState): [number, StyleState] {
  const mode = state.css.mode;
  if (mode === "block") return block(text, at, state);
  if (text.charAt(at) === "\\") return [afterEscape(text, at), state];
  return mode === "code" ? code(text, at, state) : quoted(text, at, state);
}

const urlCall = /url\(\s*(["']?)/iy;

function code(text: string, at: number, state: StyleState): [number, StyleState] {
  urlCall.lastIndex = at;
  const opened = urlCall.exec(text);
  if (opened !== null) return [urlCall.lastIndex, to(`url${opened[1] as '"' | "'" | ""}`)];
  const character = text.charAt(at);
  if (character === '"' || character === "'")
    return [at + 1, to(isURL(text.slice(0, at)) ? `url${character}` : character)];
  return text.startsWith("/*", at) ? [at + 2, to("block")] : [at + 1, state];
}

/** True where a string is a URL: an import's, or one of a set of images. */
function isURL(before: string): boolean {
  return /(?:@import|image-set\()[^;{}]*$/i.test(before);
}

function quoted(text: string, at: number, state: StyleState): [number, StyleState] {
  const mode = state.css.mode;
  const character = text.charAt(at);
  if (/[\n\r\f]/.test(character) && !mode.endsWith("url")) {
    throw new TemplateError("a quoted text of this style does not end on its line", "close it");
  }
  if (mode === "url" ? character === ")" : mode.endsWith(character)) return [at + 1, to("code")];
  // A bare `url(` value has no quotes of its own; a quoted one has just begun.
  return [at + 1, mode.startsWith("url") ? { css: state.css, ...scanURL(character, state) } : state];
}

function block(text: string, at: number, state: StyleState): [number, StyleState] {
  const end = text.indexOf("*/", at);
  return end < 0 ? [text.length, state] : [end + 2, to("code")];
}

function to(mode: Style["mode"]): StyleState {
  return { css: { mode }, ...urlStart };
}

function afterEscape(text: string, at: number): number {
  if (at + 1 < text.length) return at + 2;
  throw new TemplateError("a backslash stands right before an expression", "remove the backslash");
}
