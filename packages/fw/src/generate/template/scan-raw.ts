import { toTag, toText, type Context } from "./context.ts";
import { decodeLiteral } from "../../lib/html-references.ts";
import { scanScript } from "./scan-script.ts";
import { scanStyle } from "./scan-style.ts";
import { TemplateError } from "./template-error.ts";

/** A step through literal HTML. */
export interface Step {
  readonly at: number;
  readonly context: Context;
  /** The text to write instead of the literal. */
  readonly html?: string;
}

/** True for the `!--` after a `<`. Refuses a part of it that later text may complete. */
export function opensComment(text: string, at: number): boolean {
  const rest = text.slice(at, at + 3);
  if (rest.startsWith("!") && rest.length < 3 && "!--".startsWith(rest)) throw splitToken("a comment");
  return rest === "!--";
}

/** The end of a comment; `<!-->` and `<!--->` are whole comments. */
const commentEnd = /^<!---?>|(?<!^<!-?)--!?>/;

/** Follows a comment up to its end. */
export function comment(text: string, at: number, context: Context): Step {
  const tail = context.tail.replace("?", "");
  const read = tail + text.slice(at);
  const end = commentEnd.exec(read);
  if (end === null) {
    checkNoscript(read, context);
    return { at: text.length, context: { ...context, tail: commentTail(read) } };
  }
  if (context.tail !== tail && end.index < tail.length) throw splitToken("the end of a comment");
  checkNoscript(read.slice(0, end.index), context);
  return { at: at + end.index + end[0].length - tail.length, context: toText(context) };
}

function commentTail(read: string): string {
  return /^<!---?$|--?!?$/.exec(read)?.[0] ?? "";
}

/** Follows an element with raw text up to its end tag. */
export function rawText(text: string, at: number, context: Context): Step {
  const tail = context.tail.replace("?", "");
  if (tail !== "" && mayContinue(tail + text.charAt(at), context)) throw splitToken(`the end of this <${context.tag}>`);
  const end = indexOf(text, at, new RegExp(`</${context.tag}(?=[\\t\\n\\f\\r />]|$)`, "gi"));
  const literal = text.slice(at, end);
  checkForeign(literal, context);
  checkNoscript(literal, context);
  const html = context.state === "rcdata" ? decodeLiteral(literal, false).html : literal;
  const next = { ...follow(literal, context), tail: tailOf(literal, context) };
  if (end === text.length) return { at: end, context: next, html };
  const nameEnd = end + 2 + context.tag.length;
  if (nameEnd === text.length) throw splitToken(`the end of this <${context.tag}>`);
  const closing: Context = { ...toTag(context), state: "tagName", closing: true, type: "" };
  return { at: nameEnd, context: { ...closing, tag: context.tag }, html: html + text.slice(end, nameEnd) };
}

/** Returns the unfinished end tag at the end of a literal, or in a script the unfinished comment. */
function tailOf(literal: string, context: Context): string {
  const tail = /<[!/]?[\w-]*$/.exec(literal)?.[0] ?? "";
  return tail !== "" && mayContinue(tail, context) ? tail : "";
}

function mayContinue(tail: string, { tag, state }: Context): boolean {
  return `</${tag}`.startsWith(tail.toLowerCase()) || (state === "script" && "<!--".startsWith(tail));
}

/** Refuses a value right after the start of an end tag or a comment. In a script, it may follow a lone `<`. */
export function checkTail(context: Context): void {
  const tail = context.tail.replace("?", "");
  if (!textStates.has(context.state) || tail === "" || (context.state === "script" && tail === "<")) return;
  // Scripts and styles have no character references.
  const hint = context.state === "rcdata" ? "write &lt; for a literal <" : "write a space between them";
  throw new TemplateError(`a value is not allowed right after ${tail}`, hint);
}

const textStates: ReadonlySet<Context["state"]> = new Set(["rcdata", "raw", "script", "style"]);

function splitToken(what: string): TemplateError {
  return new TemplateError(`${what} begins here and may continue after a branch or a value`, "write it in one piece");
}

function follow(literal: string, context: Context): Context {
  switch (context.state) {
    case "script":
      return scanScriptLiteral(literal, context);
    case "style":
      return { ...context, ...scanStyle(literal, context) };
    default:
      return { ...context, head: "" };
  }
}

function scanScriptLiteral(literal: string, context: Context): Context {
  if (literal.includes("<!--"))
    throw new TemplateError("<!-- inside a <script> changes where the script ends", "remove it");
  return context.type === "?" ? context : { ...context, js: scanScript(literal, context.js) };
}

/**
 * Checks an element that contains markup and references in SVG and MathML, but text elsewhere. Only text that means the
 * same in both is allowed.
 */
function checkForeign(literal: string, { foreign, tag }: Context): void {
  if (foreign === 0 || !literal.replace(/<!\[CDATA\[[^]*?\]\]>/g, "").includes("<")) return;
  throw new TemplateError(
    `a < inside the <${tag}> of an <svg> or <math> is markup`,
    `move the <${tag}> out, or write &lt;`,
  );
}

/** Refuses an end tag in text, because browsers that run scripts end a `<noscript>` at any `</noscript`. */
export function checkNoscript(literal: string, { noscript }: Context): void {
  if (noscript && /<\/noscript/i.test(literal))
    throw new TemplateError("</noscript in text ends the element", "write &lt;/noscript");
}

/** Returns the position of the next match of a global pattern, or the end of the text. */
export function indexOf(text: string, from: number, pattern: RegExp): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
