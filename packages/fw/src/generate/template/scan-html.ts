import { toTag, toText, type Context } from "./context.ts";
import { TemplateError } from "./template-error.ts";
import { scanScript } from "./scan-script.ts";
import { scanStyle } from "./scan-style.ts";
import { beginValue, endTag, endValue, readLiteral } from "./tag.ts";

/** Literal HTML as it goes into the page, and the place that it leads to. */
export interface Scanned {
  readonly html: string;
  readonly context: Context;
}

/** Follows literal HTML as a browser's tokenizer would. */
export function scanHTML(text: string, from: Context): Scanned {
  let html = "";
  let context = from;
  for (let at = 0; at < text.length;) {
    const step = steps[context.state](text, at, context);
    html += step.html ?? text.slice(at, step.at);
    at = step.at;
    context = step.context;
  }
  return { html, context };
}

interface Step {
  readonly at: number;
  readonly context: Context;
  /** What to write instead of the text itself. */
  readonly html?: string;
}

const steps: Record<Context["state"], (text: string, at: number, context: Context) => Step> = {
  text: between,
  lt: afterLessThan,
  ltSlash: (text, at, context) =>
    /[a-z]/i.test(text.charAt(at))
      ? { at, context: { ...toTag(context), state: "tagName", tag: "", closing: true } }
      : { at, context: text.charAt(at) === ">" ? toText(context) : { ...toText(context), state: "declaration" } },
  tagName,
  tag,
  attrName,
  afterName,
  beforeValue,
  value,
  comment,
  declaration: (text, at, context) => upTo(text, at, context, />/g),
  rcdata: (text, at, context) => rawText(text, at, context, () => ({ ...context, head: "" })),
  raw: (text, at, context) => rawText(text, at, context, () => context),
  script: (text, at, context) => rawText(text, at, context, (literal) => scannedScript(literal, context)),
  style: (text, at, context) =>
    rawText(text, at, context, (literal) => ({ ...context, ...scanStyle(literal, context) })),
};

function between(text: string, at: number, context: Context): Step {
  const open = text.indexOf("<", at);
  return open < 0 ? { at: text.length, context } : { at: open + 1, context: { ...context, state: "lt" } };
}

function afterLessThan(text: string, at: number, context: Context): Step {
  const character = text.charAt(at);
  if (/[a-z]/i.test(character)) return { at, context: { ...toTag(context), state: "tagName", tag: "", type: "" } };
  if (character === "/") return { at: at + 1, context: { ...context, state: "ltSlash" } };
  if (text.startsWith("!--", at)) return afterCommentOpen(text, at + 3, context);
  if (character === "!" || character === "?") return { at, context: { ...context, state: "declaration" } };
  return { at, context: toText(context) };
}

/** `<!-->` and `<!--->` are whole comments. */
function afterCommentOpen(text: string, at: number, context: Context): Step {
  const closed = /-?>/y;
  closed.lastIndex = at;
  return closed.test(text)
    ? { at: closed.lastIndex, context: toText(context) }
    : { at, context: { ...context, state: "comment" } };
}

function comment(text: string, at: number, context: Context): Step {
  return upTo(text, at, context, /--!?>/g);
}

function upTo(text: string, at: number, context: Context, end: RegExp): Step {
  end.lastIndex = at;
  return end.test(text) ? { at: end.lastIndex, context: toText(context) } : { at: text.length, context };
}

function tagName(text: string, at: number, context: Context): Step {
  const end = indexOf(text, at, /[\s/>]/g);
  const tagged = { ...context, tag: context.tag + text.slice(at, end).toLowerCase() };
  return { at: end, context: end < text.length ? { ...tagged, state: "tag" } : tagged };
}

function tag(text: string, at: number, context: Context): Step {
  const character = text.charAt(at);
  if (character === ">") return { at: at + 1, context: endTag(context, text.charAt(at - 1) === "/") };
  if (/[\s/]/.test(character)) return { at: at + 1, context };
  return { at, context: { ...context, state: "attrName", attr: "" } };
}

function attrName(text: string, at: number, context: Context): Step {
  // A name may begin with "="; anywhere else it ends there.
  const end = indexOf(text, context.attr === "" ? at + 1 : at, /[\s/>=]/g);
  const more = text.slice(at, end).toLowerCase();
  const named = { ...context, attr: context.attr === "?" ? "?" : context.attr + more };
  if (end === text.length) return { at: end, context: named };
  if (text.charAt(end) === "=") return { at: end + 1, context: { ...named, state: "beforeValue" } };
  return { at: end, context: /[/>]/.test(text.charAt(end)) ? toTag(named) : { ...named, state: "afterName" } };
}

function afterName(text: string, at: number, context: Context): Step {
  const character = text.charAt(at);
  if (/\s/.test(character)) return { at: at + 1, context };
  return character === "="
    ? { at: at + 1, context: { ...context, state: "beforeValue" } }
    : { at, context: toTag(context) };
}

function beforeValue(text: string, at: number, context: Context): Step {
  const character = text.charAt(at);
  if (/\s/.test(character)) return { at: at + 1, context };
  if (character === ">") return { at, context: toTag(context) };
  if (character === '"' || character === "'") return { at: at + 1, context: beginValue(context, character) };
  return { at, context: beginValue(context, ""), html: '"' };
}

function value(text: string, at: number, context: Context): Step {
  const end = endOfValue(text, context.quote, at);
  const read = readLiteral(text.slice(at, end), context);
  if (context.quote !== "") return quotedValue(text, end, read);
  const html = text.slice(at, end).replaceAll('"', "&quot;");
  return end < text.length
    ? { at: end, context: toTag(endValue(read)), html: `${html}"` }
    : { at: end, context: read, html };
}

/** Where a value that is being read ends; the text's end where it goes on. */
export function endOfValue(text: string, quote: Context["quote"], from = 0): number {
  return indexOf(text, from, valueEnds[quote]);
}

const valueEnds: Record<Context["quote"], RegExp> = { '"': /"/g, "'": /'/g, "": /[\s>]/g };

function quotedValue(text: string, end: number, read: Context): Step {
  return end < text.length ? { at: end + 1, context: toTag(endValue(read)) } : { at: end, context: read };
}

/** Inside an element that holds text only, up to its end tag. */
function rawText(text: string, at: number, context: Context, follow: (literal: string) => Context): Step {
  const end = indexOf(text, at, new RegExp(`</${context.tag}(?=[\\s/>]|$)`, "gi"));
  const followed = follow(text.slice(at, end));
  if (end === text.length) return { at: end, context: followed };
  const nameEnd = end + 2 + context.tag.length;
  return { at: nameEnd, context: { ...toTag(context), state: "tagName", closing: true, type: "" } };
}

function scannedScript(literal: string, context: Context): Context {
  if (literal.includes("<!--"))
    throw new TemplateError("<!-- inside a <script> changes where the script ends", "remove it");
  return context.type === "?" ? context : { ...context, js: scanScript(literal, context.js) };
}

function indexOf(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
