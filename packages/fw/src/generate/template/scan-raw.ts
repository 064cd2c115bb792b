import { toTag, toText, type Context } from "./context.ts";
import { settleReferences } from "./references.ts";
import { scanScript } from "./scan-script.ts";
import { scanStyle } from "./scan-style.ts";
import { TemplateError } from "./template-error.ts";

/** One step through literal HTML. */
export interface Step {
  readonly at: number;
  readonly context: Context;
  /** Replaces the text itself. */
  readonly html?: string;
}

/** True for the `!--` after a `<`. Refuses one that may go on in what follows the literal. */
export function opensComment(text: string, at: number): boolean {
  const rest = text.slice(at, at + 3);
  if (rest.startsWith("!") && rest.length < 3 && "!--".startsWith(rest)) throw brokenOff("a comment");
  return rest === "!--";
}

/** `<!-->` and `<!--->` are whole comments.  */
const commentEnd = /^<!---?>|(?<!^<!-?)--!?>/;

/** Inside a comment, up to its end. */
export function comment(text: string, at: number, context: Context): Step {
  const tail = context.tail.replace("?", "");
  const read = tail + text.slice(at);
  const end = commentEnd.exec(read);
  if (end === null) {
    checkNoscript(read, context);
    return { at: text.length, context: { ...context, tail: commentTail(read) } };
  }
  if (context.tail !== tail && end.index < tail.length) throw brokenOff("the end of a comment");
  checkNoscript(read.slice(0, end.index), context);
  return { at: at + end.index + end[0].length - tail.length, context: toText(context) };
}

function commentTail(read: string): string {
  return /^<!---?$|--?!?$/.exec(read)?.[0] ?? "";
}

/** Inside an element that holds text only, up to its end tag. */
export function rawText(text: string, at: number, context: Context): Step {
  const tail = context.tail.replace("?", "");
  if (tail !== "" && mayGoOn(tail + text.charAt(at), context)) throw brokenOff(`the end of this <${context.tag}>`);
  const end = indexOf(text, at, new RegExp(`</${context.tag}(?=[\\t\\n\\f\\r />]|$)`, "gi"));
  const literal = text.slice(at, end);
  checkForeign(literal, context);
  checkNoscript(literal, context);
  const html = context.state === "rcdata" ? settleReferences(literal, false).html : literal;
  const next = { ...follow(literal, context), tail: tailOf(literal, context) };
  if (end === text.length) return { at: end, context: next, html };
  const nameEnd = end + 2 + context.tag.length;
  if (nameEnd === text.length) throw brokenOff(`the end of this <${context.tag}>`);
  const closing: Context = { ...toTag(context), state: "tagName", closing: true, type: "" };
  return { at: nameEnd, context: { ...closing, tag: context.tag }, html: html + text.slice(end, nameEnd) };
}

/** The part of an end tag, or of a comment in a script, in which a literal breaks off. */
function tailOf(literal: string, context: Context): string {
  const tail = /<[!/]?[\w-]*$/.exec(literal)?.[0] ?? "";
  return tail !== "" && mayGoOn(tail, context) ? tail : "";
}

function mayGoOn(tail: string, { tag, state }: Context): boolean {
  return `</${tag}`.startsWith(tail.toLowerCase()) || (state === "script" && "<!--".startsWith(tail));
}

/**
 * Refuses a value right after the beginning of an end tag. A value of a script never goes on with a `<`, but may be
 * empty.
 */
export function checkTail(context: Context): void {
  const tail = context.tail.replace("?", "");
  if (!textStates.has(context.state) || tail === "" || (context.state === "script" && tail === "<")) return;
  throw new TemplateError(`data cannot stand right after ${tail}`, "write &lt; for a < of the text");
}

const textStates: ReadonlySet<Context["state"]> = new Set(["rcdata", "raw", "script", "style"]);

function brokenOff(what: string): TemplateError {
  return new TemplateError(`${what} begins here and may go on after a branch or a value`, "write it in one piece");
}

function follow(literal: string, context: Context): Context {
  switch (context.state) {
    case "script":
      return scannedScript(literal, context);
    case "style":
      return { ...context, ...scanStyle(literal, context) };
    default:
      return { ...context, head: "" };
  }
}

function scannedScript(literal: string, context: Context): Context {
  if (literal.includes("<!--"))
    throw new TemplateError("<!-- inside a <script> changes where the script ends", "remove it");
  return context.type === "?" ? context : { ...context, js: scanScript(literal, context.js) };
}

/** In SVG and MathML these elements hold markup and references, outside of them text: what both read alike is taken. */
function checkForeign(literal: string, { foreign, tag }: Context): void {
  if (foreign === 0 || !literal.replace(/<!\[CDATA\[[^]*?\]\]>/g, "").includes("<")) return;
  throw new TemplateError(
    `a < inside the <${tag}> of an <svg> or <math> is markup`,
    `move the <${tag}> out, or write &lt;`,
  );
}

/** Browsers that run scripts end a `<noscript>` at its end tag, wherever that stands. */
export function checkNoscript(literal: string, { noscript }: Context): void {
  if (noscript && /<\/noscript/i.test(literal))
    throw new TemplateError("</noscript inside a text ends the element", "write &lt;/noscript");
}

function indexOf(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
