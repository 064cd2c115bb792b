import { importMapStart, textContext, toText, type Context } from "./context.ts";
import { valueKind } from "./loads.ts";
import { scanScript } from "./scan-script.ts";
import { scanStyle } from "./scan-style.ts";
import { scanAnimation, scanImages, scanRefresh, scanURL, scanURLs } from "./scan-url.ts";
import { TemplateError } from "./template-error.ts";

/** Starts the value of the current attribute. */
export function beginValue(context: Context, quote: Context["quote"]): Context {
  const kind = valueKind(context);
  return { ...context, state: "value", quote, kind, url: kind === "refresh" ? "delay" : "start", head: "" };
}

/** Follows the literal text of an attribute's value as the browser reads it, in the value's own language. */
export function readLiteral(text: string, context: Context): Context {
  if (text === "") return context;
  switch (context.kind) {
    case "url":
    case "sameOrigin":
    case "form":
    case "unsaid":
      return { ...context, ...scanURL(text, context) };
    case "refresh":
      return { ...context, ...scanRefresh(text, context) };
    case "srcset":
      return { ...context, ...scanImages(text, context) };
    case "urls":
      return { ...context, ...scanURLs(text, context) };
    case "animation":
      return { ...context, ...scanAnimation(text, context) };
    case "script":
      return { ...context, js: scanScript(text, context.js) };
    case "style":
      return { ...context, ...scanStyle(text, context) };
    case "type":
    case "rel":
      return { ...context, head: context.head === "?" ? "?" : context.head + text };
    default:
      return context;
  }
}

/** Applies a complete `type`, `rel` or similar attribute, which determines how later text is interpreted. */
export function endValue(context: Context): Context {
  if (context.kind !== "type" && context.kind !== "rel") return context;
  const value = context.head.trim().toLowerCase();
  if (context.type === dataInContent && isSpecial(value)) {
    throw new TemplateError(
      `${context.attr} comes after a content attribute with a value`,
      `write the ${context.attr} attribute before content`,
    );
  }
  return { ...context, type: typeAfter(context, value) };
}

/**
 * Returns the type after an attribute. If an attribute is repeated, the first one applies. A meta only remembers values
 * that determine how its content is interpreted.
 */
function typeAfter({ tag, type }: Context, value: string): string {
  if (tag !== "meta") return type === "" ? value : type;
  if (!isSpecial(value)) return type;
  return isSpecial(type) && type !== value ? "?" : value;
}

function isSpecial(type: string): boolean {
  return type === "refresh" || type === "htmx-config" || type === "?";
}

/** Marks a `<meta>` with data in its `content`, before the attribute that gives the `content` its meaning. */
const dataInContent = "data";

/** Marks a `<form>` whose action depends on data. */
export const dataInAction = "data";

/** Stands for a meta's name that contains data. */
export const nameFromData = "*";

/** Returns the state after a value from data in a plain attribute. */
export function afterPlainValue(context: Context): Context {
  const { tag, attr, type, kind } = context;
  if (kind === "rel") return { ...context, head: tag === "link" ? "?" : nameFromData };
  return tag === "meta" && attr === "content" && !isSpecial(type) ? { ...context, type: dataInContent } : context;
}

/** Handles the `>` at the end of a tag. */
export function endTag(context: Context, selfClosed: boolean): Context {
  const { tag, foreign } = context;
  if (context.closing) return afterEndTag(context);
  if (rootsOfForeign.has(tag)) return { ...toText(context), foreign: foreign + (selfClosed ? 0 : 1) };
  if (tag === "form") return { ...toText(context), form: context.type !== "" };
  if (tag === "noscript") return { ...toText(context), noscript: true };
  const state = contentState(context);
  if (state === "text") return toText(context);
  if (foreign > 0 && selfClosed) return selfClosedText(context);
  const js = context.type === "importmap" ? importMapStart : textContext.js;
  const head = tag === "textarea" ? atStart : "";
  return { ...toText(context), state, tag, head, js, type: scriptType(context) };
}

function afterEndTag(context: Context): Context {
  const after = toText(context);
  switch (context.tag) {
    case "svg":
    case "math":
      return { ...after, foreign: Math.max(0, after.foreign - 1) };
    case "form":
      return { ...after, form: false };
    case "noscript":
      return { ...after, noscript: false };
    default:
      return after;
  }
}

/** Refuses a self-closing element such as `<script/>` in SVG: it is empty there, but not elsewhere. */
function selfClosedText({ tag }: Context): never {
  throw new TemplateError(`<${tag}/> in an <svg> or <math> is self-closing only there`, `write <${tag}></${tag}>`);
}

/** Marks the start of a textarea, where browsers drop a newline. */
export const atStart = "start";

const rootsOfForeign: ReadonlySet<string> = new Set(["svg", "math"]);
const rawElements: ReadonlySet<string> = new Set(["xmp", "iframe", "noembed", "noframes", "plaintext"]);

function contentState({ tag }: Context): Context["state"] {
  if (tag === "script" || tag === "style") return tag;
  if (tag === "title" || tag === "textarea") return "rcdata";
  return rawElements.has(tag) ? "raw" : "text";
}

const scriptTypes =
  /^(?:|module|importmap|speculationrules|(?:text|application)\/(?:x-)?(?:java|ecma)script|(?:[\w.-]+\/)(?:[\w.-]+\+)?json)$/;

/** Returns "" for JavaScript and JSON, or `?` for a script in another language, whose escaping is unknown. */
function scriptType({ tag, type }: Context): string {
  return tag !== "script" || scriptTypes.test(type.split(";")[0] ?? "") ? "" : "?";
}
