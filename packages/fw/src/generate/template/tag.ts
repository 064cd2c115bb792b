import { attributeKind } from "./attribute-kind.ts";
import { textContext, toText, type Context } from "./context.ts";
import { decodeReferences } from "./references.ts";
import { scanScript } from "./scan-script.ts";
import { scanStyle } from "./scan-style.ts";
import { scanImages, scanRefresh, scanURL, scanURLs } from "./scan-url.ts";
import { TemplateError } from "./template-error.ts";

/** The value of the attribute just named begins. */
export function beginValue(context: Context, quote: Context["quote"]): Context {
  const kind = attributeKind(context.tag, context.attr, context.type);
  return { ...context, state: "value", quote, kind, url: kind === "refresh" ? "delay" : "start", head: "" };
}

/** Follows literal text of an attribute's value, in the language that the value is in. */
export function readLiteral(source: string, context: Context): Context {
  if (source === "") return context;
  const text = decodeReferences(source);
  switch (context.kind) {
    case "url":
    case "sameOrigin":
      return { ...context, ...scanURL(text, context) };
    case "refresh":
      return { ...context, ...scanRefresh(text, context) };
    case "srcset":
      return { ...context, ...scanImages(text, context) };
    case "urls":
      return { ...context, ...scanURLs(text, context) };
    case "script":
      return { ...context, js: scanScript(text, context.js) };
    case "style":
      return { ...context, ...scanStyle(text, context) };
    case "type":
      return { ...context, head: context.head === "?" ? "?" : context.head + text };
    default:
      return context;
  }
}

/** A finished `type` or `http-equiv` decides how what follows is read. */
export function endValue(context: Context): Context {
  if (context.kind !== "type") return context;
  const type = context.head.trim().toLowerCase();
  if (context.type === dataInContent && type === "refresh") {
    throw new TemplateError("http-equiv comes after a content that holds data", "write http-equiv before content");
  }
  return { ...context, type };
}

/** Marks a `<meta>` whose content was filled before anything said that it holds a URL. */
const dataInContent = "data";

/** The place after a value from data in a plain attribute. */
export function afterPlainValue(context: Context): Context {
  const unsaid = context.tag === "meta" && context.attr === "content" && context.type === "";
  return unsaid ? { ...context, type: dataInContent } : context;
}

/** Past the `>` of a tag: the content of the element, or text again. */
export function endTag(context: Context, selfClosed: boolean): Context {
  const { tag, foreign } = context;
  if (context.closing) return { ...toText(context), foreign: foreign && !rootsOfForeign.has(tag) };
  if (rootsOfForeign.has(tag)) return { ...toText(context), foreign: foreign || !selfClosed };
  if (foreign && selfClosed) return toText(context);
  const state = contentState(context);
  const head = state === "rcdata" && tag === "textarea" ? atStart : "";
  return { ...textContext, state, tag: state === "text" ? "" : tag, head, type: scriptType(context), foreign };
}

/** Marks the very start of a textarea, where browsers drop one newline. */
export const atStart = "start";

const rootsOfForeign: ReadonlySet<string> = new Set(["svg", "math"]);
const rawElements: ReadonlySet<string> = new Set(["xmp", "iframe", "noembed", "noframes", "plaintext"]);

function contentState({ tag, foreign }: Context): Context["state"] {
  if (tag === "script" || tag === "style") return tag;
  if (foreign) return "text";
  if (tag === "title" || tag === "textarea") return "rcdata";
  return rawElements.has(tag) ? "raw" : "text";
}

const scriptTypes =
  /^(?:|module|importmap|speculationrules|(?:text|application)\/(?:x-)?(?:java|ecma)script|(?:[\w.-]+\/)(?:[\w.-]+\+)?json)$/;

/** "" for JavaScript and JSON; `?` for a script in another language, where no escaping can be right. */
function scriptType({ tag, type }: Context): string {
  return tag !== "script" || scriptTypes.test(type.split(";")[0] ?? "") ? "" : "?";
}
