import { importMapStart, textContext, toText, type Context } from "./context.ts";
import { valueKind } from "./loads.ts";
import { scanScript } from "./scan-script.ts";
import { scanStyle } from "./scan-style.ts";
import { scanAnimation, scanImages, scanRefresh, scanURL, scanURLs } from "./scan-url.ts";
import { TemplateError } from "./template-error.ts";

/** The value of the attribute just named begins. */
export function beginValue(context: Context, quote: Context["quote"]): Context {
  const kind = valueKind(context);
  return { ...context, state: "value", quote, kind, url: kind === "refresh" ? "delay" : "start", head: "" };
}

/** Follows the literal text of an attribute's value, as the browser reads it, in the language that the value is in. */
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

/** A finished `type`, `rel` or the like decides how what follows is read. */
export function endValue(context: Context): Context {
  if (context.kind !== "type" && context.kind !== "rel") return context;
  const value = context.head.trim().toLowerCase();
  if (context.type === dataInContent && isSpecial(value)) {
    throw new TemplateError(
      `${context.attr} comes after a content that holds data`,
      `write ${context.attr} before content`,
    );
  }
  return { ...context, type: typeAfter(context, value) };
}

/** The first of two attributes of one name counts; a meta keeps only what says how its content is read. */
function typeAfter({ tag, type }: Context, said: string): string {
  if (tag !== "meta") return type === "" ? said : type;
  if (!isSpecial(said)) return type;
  return isSpecial(type) && type !== said ? "?" : said;
}

function isSpecial(type: string): boolean {
  return type === "refresh" || type === "htmx-config" || type === "?";
}

/** Marks a `<meta>` whose content was filled before anything said how that is read. */
const dataInContent = "data";

/** Marks a `<form>` whose address data may choose. */
export const dataInAction = "data";

/** In the place of a meta's name that data is part of. */
export const nameFromData = "*";

/** The place after a value from data in a plain attribute. */
export function afterPlainValue(context: Context): Context {
  const { tag, attr, type, kind } = context;
  if (kind === "rel") return { ...context, head: tag === "link" ? "?" : nameFromData };
  return tag === "meta" && attr === "content" && !isSpecial(type) ? { ...context, type: dataInContent } : context;
}

/** Past the `>` of a tag: the content of the element, or text again. */
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

/** A script that closes itself has no content in SVG, and has some outside of it. */
function selfClosedText({ tag }: Context): never {
  throw new TemplateError(`<${tag}/> in an <svg> or <math> closes itself only there`, `write <${tag}></${tag}>`);
}

/** Marks the very start of a textarea, where browsers drop one newline. */
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

/** "" for JavaScript and JSON; `?` for a script in another language, where no escaping can be right. */
function scriptType({ tag, type }: Context): string {
  return tag !== "script" || scriptTypes.test(type.split(";")[0] ?? "") ? "" : "?";
}
