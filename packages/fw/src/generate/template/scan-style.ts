import type { Context, Style } from "./context.ts";
import { TemplateError } from "./template-error.ts";
import { scanURL, urlStart, type URLState } from "./scan-url.ts";

type StyleState = Pick<Context, "css"> & URLState;

/** Follows literal CSS. */
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
  const urlMatch = urlCall.exec(text);
  if (urlMatch !== null) return [urlCall.lastIndex, to(`url${urlMatch[1] as '"' | "'" | ""}`, state)];
  const character = text.charAt(at);
  if (character === '"' || character === "'") {
    const isURL = state.css.imports || /image-set\([^;{}]*$/i.test(text.slice(0, at));
    return [at + 1, to(isURL ? `url${character}` : character, state)];
  }
  if (text.startsWith("/*", at)) return [at + 2, to("block", state)];
  const imports = character === "@" ? mayImport(text, at) : state.css.imports && !/[;{}]/.test(character);
  return [at + 1, imports === state.css.imports ? state : { ...state, css: { ...state.css, imports } }];
}

/** True for an `@import`, and for a rule whose name continues after the literal or contains an escape. */
function mayImport(text: string, at: number): boolean {
  const [name = ""] = /[\w-]*/.exec(text.slice(at + 1)) ?? [];
  const next = text.charAt(at + 1 + name.length);
  return next === "" || next === "\\" || name.toLowerCase() === "import";
}

function quoted(text: string, at: number, state: StyleState): [number, StyleState] {
  const mode = state.css.mode;
  const character = text.charAt(at);
  if (/[\n\r\f]/.test(character) && !mode.endsWith("url")) {
    throw new TemplateError("a string in this style does not end on its line", "close it");
  }
  if (mode === "url" ? character === ")" : mode.endsWith(character)) return [at + 1, to("code", state)];
  // A bare `url(` value has no quotes; a quoted one has just started.
  return [at + 1, mode.startsWith("url") ? { css: state.css, ...scanURL(character, state) } : state];
}

function block(text: string, at: number, state: StyleState): [number, StyleState] {
  const end = text.indexOf("*/", at);
  return end < 0 ? [text.length, state] : [end + 2, to("code", state)];
}

function to(mode: Style["mode"], { css }: StyleState): StyleState {
  return { css: { ...css, mode }, ...urlStart };
}

function afterEscape(text: string, at: number): number {
  if (at + 1 < text.length) return at + 2;
  throw new TemplateError("there is a backslash directly before an expression", "remove the backslash");
}
