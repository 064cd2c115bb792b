import { toTag, toText, type Context } from "./context.ts";
import { decodeLiteral } from "../../lib/html-references.ts";
import { checkNoscript, comment, indexOf, opensComment, rawText, type Step } from "./scan-raw.ts";
import { beginValue, endTag, endValue, readLiteral } from "./tag.ts";
import { TemplateError } from "./template-error.ts";

/** The output HTML, and the context at its end. */
export interface ScanResult {
  readonly html: string;
  readonly context: Context;
}

/** Follows literal HTML like a browser's tokenizer. */
export function scanHTML(text: string, from: Context): ScanResult {
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
  declaration,
  rcdata: rawText,
  raw: rawText,
  script: rawText,
  style: rawText,
};

function between(text: string, at: number, context: Context): Step {
  const open = text.indexOf("<", at);
  const end = open < 0 ? text.length : open;
  const { html } = decodeLiteral(text.slice(at, end), false);
  if (open < 0) return { at: end, context, html };
  return { at: open + 1, context: { ...context, state: "lt" }, html: `${html}<` };
}

function afterLessThan(text: string, at: number, context: Context): Step {
  const character = text.charAt(at);
  if (/[a-z]/i.test(character)) return { at, context: { ...toTag(context), state: "tagName", tag: "", type: "" } };
  if (character === "/") return { at: at + 1, context: { ...context, state: "ltSlash" } };
  if (opensComment(text, at)) return { at: at + 3, context: { ...context, state: "comment", tail: "<!--" } };
  if (character === "!" || character === "?") return { at, context: { ...context, state: "declaration" } };
  return { at, context: toText(context) };
}

/**
 * Follows a `<!DOCTYPE>`, and text that browsers read as a comment up to the next `>`, or in SVG and MathML up to
 * `]]>`.
 */
function declaration(text: string, at: number, context: Context): Step {
  const end = text.indexOf(">", at);
  const marker = text.slice(at, at + cdata.length);
  if (context.foreign > 0 && cdata.startsWith(marker) && !text.startsWith("]]", end - 2)) {
    throw new TemplateError("outside SVG, a CDATA section with a > in it ends earlier", "write &gt; instead of CDATA");
  }
  return end < 0 ? { at: text.length, context } : { at: end + 1, context: toText(context) };
}

const cdata = "![CDATA[";

function tagName(text: string, at: number, context: Context): Step {
  const end = indexOf(text, at, /[\t\n\f\r />]/g);
  const withTag = { ...context, tag: context.tag + asciiLower(text.slice(at, end)) };
  return { at: end, context: end < text.length ? { ...withTag, state: "tag" } : withTag };
}

function tag(text: string, at: number, context: Context): Step {
  const character = text.charAt(at);
  if (text.startsWith("/>", at)) return { at: at + 2, context: endTag(context, true) };
  if (character === ">") return { at: at + 1, context: endTag(context, false) };
  if (/[\t\n\f\r /]/.test(character)) return { at: at + 1, context };
  return { at, context: { ...context, state: "attrName", attr: "" } };
}

function attrName(text: string, at: number, context: Context): Step {
  // A name may start with "=", which ends it anywhere else.
  const end = indexOf(text, context.attr === "" ? at + 1 : at, /[\t\n\f\r />=]/g);
  const more = asciiLower(text.slice(at, end));
  const withName = { ...context, attr: context.attr === "?" ? "?" : context.attr + more };
  if (end === text.length) return { at: end, context: withName };
  if (text.charAt(end) === "=") return { at: end + 1, context: { ...withName, state: "beforeValue" } };
  return { at: end, context: /[/>]/.test(text.charAt(end)) ? toTag(withName) : { ...withName, state: "afterName" } };
}

function afterName(text: string, at: number, context: Context): Step {
  const character = text.charAt(at);
  if (/[\t\n\f\r ]/.test(character)) return { at: at + 1, context };
  return character === "="
    ? { at: at + 1, context: { ...context, state: "beforeValue" } }
    : { at, context: toTag(context) };
}

function beforeValue(text: string, at: number, context: Context): Step {
  const character = text.charAt(at);
  if (/[\t\n\f\r ]/.test(character)) return { at: at + 1, context };
  if (character === ">") return { at, context: toTag(context) };
  if (character === '"' || character === "'") return { at: at + 1, context: beginValue(context, character) };
  return { at, context: beginValue(context, ""), html: '"' };
}

function value(text: string, at: number, context: Context): Step {
  const end = endOfValue(text, context.quote, at);
  const literal = text.slice(at, end);
  checkNoscript(literal, context);
  const decoded = decodeLiteral(literal, true);
  const read = readLiteral(decoded.text, context);
  const html = context.quote === "" ? decoded.html.replaceAll('"', "&quot;") : decoded.html;
  if (end === text.length) return { at: end, context: read, html };
  const closed = toTag(endValue(read));
  return context.quote === ""
    ? { at: end, context: closed, html: `${html}"` }
    : { at: end + 1, context: closed, html: html + context.quote };
}

/** Returns the end of the current value, or of the text if the value continues. */
export function endOfValue(text: string, quote: Context["quote"], from = 0): number {
  return indexOf(text, from, valueEnds[quote]);
}

const valueEnds: Record<Context["quote"], RegExp> = { '"': /"/g, "'": /'/g, "": /[\t\n\f\r >]/g };

/** Lowercases ASCII only, as browsers do: the Kelvin sign is not a k. */
function asciiLower(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
