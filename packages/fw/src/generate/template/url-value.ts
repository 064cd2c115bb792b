import { urlPlace } from "../../lib/url-place.ts";
import type { Context } from "./context.ts";
import { TemplateError } from "./template-error.ts";
import { decodeReferences } from "../../lib/html-references.ts";
import { endOfValue } from "./scan-html.ts";
import { beginValue, dataInAction } from "./tag.ts";
import type { Work } from "./unit.ts";

/** The part of a position that determines how a value in a URL is escaped. */
type URLContext = Pick<Context, "url" | "head" | "tracked" | "kind" | "tag" | "attr">;

/** Returns the escapers for a value in a URL, innermost first. In compiled code, `u` is the URL being built. */
export function urlEscapes(context: URLContext): string[] {
  const list = lists[context.kind];
  if (list === undefined || context.url === "descriptor") return [urlEscape(context)];
  if (context.url === "start" && context.head === "") return [`${unfinished(context)}.${list.whole}`];
  return [list.item, urlEscape(context)];
}

/** The escapers for a value that is an entire list of URLs, or part of one. */
const lists: Partial<Record<Context["kind"], { readonly whole: string; readonly item: string }>> = {
  srcset: { whole: "images", item: "h.withoutCommas" },
  animation: { whole: "animated", item: "h.withoutSemicolons" },
};

function urlEscape(context: URLContext): string {
  const method = bringsCode(context) ? "inside" : "more";
  switch (context.url) {
    case "delay":
      return "h.refreshDelay";
    case "descriptor":
      return "h.descriptor";
    case "start":
      return `${unfinished(context)}.${beginning(context)}`;
    case "dynamic":
      if (bringsCode(context)) throw choosesOrigin(context);
      return "u.more";
    case "rest":
      return `u.${method}`;
    case "path":
      if (context.tracked) return `u.${method}`;
      return bringsCode(context) ? "h.urlInside" : "h.urlRest";
    case "query":
      return "h.urlQuery";
    case "unsafe":
      throw new TemplateError(
        "a value is not allowed in a URL whose scheme runs code",
        "use an event handler or a plain link",
      );
    default:
      throw new TemplateError(
        "here this URL may or may not have reached its query",
        "write the whole URL inside each branch",
      );
  }
}

/** True if the URL's target runs, or may run, with this page's privileges. */
function bringsCode({ kind }: Pick<Context, "kind">): boolean {
  return kind === "sameOrigin" || kind === "unsaid";
}

function unfinished({ head, tracked, kind }: Pick<Context, "head" | "tracked" | "kind">): string {
  return tracked ? "u" : begin(head, kind);
}

function begin(head: string, kind: Context["kind"]): string {
  return `u.${kind === "form" ? "beginAction" : "begin"}(${JSON.stringify(head)})`;
}

/** Returns the method that handles a value after literals that do not determine the origin. */
function beginning(context: URLContext): string {
  switch (urlPlace(context.head)) {
    case "start":
      return wholeURL(context.kind);
    case "scheme":
      if (bringsCode(context)) throw choosesOrigin(context);
      return "more";
    case "noHost":
      throw new TemplateError(
        "a value could choose the host of this URL",
        "write the host and a / in the template, or pass the whole URL as one value",
      );
    default:
      return bringsCode(context) ? "inside" : "more";
  }
}

function wholeURL(kind: Context["kind"]): string {
  switch (kind) {
    case "unsaid":
      throw new TemplateError("the rel after this href decides what it loads", "write rel before href");
    case "form":
      return "action";
    case "sameOrigin":
      return "ownOrigin";
    default:
      return "whole";
  }
}

function choosesOrigin({ tag, attr }: URLContext): TemplateError {
  const what = tag === "script" || tag === "base" ? `this <${tag}>` : attr === "" ? "this style sheet" : `this ${attr}`;
  return new TemplateError(
    `a value could choose the origin of ${what}`,
    "begin the URL with / or with https:// and a host",
  );
}

/** Starts tracking a URL before branches, unless its origin is already determined. */
export function beforeBranches(context: Context, { emitter }: Work): Context {
  const at = context.state === "beforeValue" ? beginValue(context, "") : context;
  if (!isUnsettled(at)) return context;
  emitter.statement(`${begin(context.head, at.kind)};`);
  return { ...context, tracked: true, type: at.kind === "form" ? dataInAction : context.type };
}

function isUnsettled({ state, kind, url, css, tracked }: Context): boolean {
  if (tracked || url !== "start") return false;
  if (state === "style") return css.mode.startsWith("url");
  if (state !== "value") return false;
  return kind === "style" ? css.mode.startsWith("url") : urlKinds.has(kind);
}

export function followLiteral(text: string, context: Context, { emitter }: Work): void {
  if (!context.tracked) return;
  const literal = urlText(text, context);
  if (literal === "") return;
  if (context.url === "start") emitter.statement(`u.note(${JSON.stringify(literal)});`);
  else emitter.value(`u.joint(${JSON.stringify(literal)})`);
}

/** Returns the part of a text that continues the current URL, as the browser reads it. */
function urlText(text: string, context: Context): string {
  if (context.state === "style") return styleURL(text, context);
  if (context.state === "beforeValue") {
    const [before = "", quote = ""] = /^\s*(["']?)/.exec(text) ?? [];
    return urlText(text.slice(before.length), beginValue(context, quote as Context["quote"]));
  }
  const value = decodeReferences(text.slice(0, endOfValue(text, context.quote)));
  if (context.kind === "style") return styleURL(value, context);
  if (context.kind === "animation") return /^[^;]*/.exec(value)?.[0] ?? "";
  return context.kind === "srcset" || context.kind === "urls" ? (/^\S*/.exec(value)?.[0] ?? "") : value;
}

function styleURL(text: string, { css }: Context): string {
  const end = text.indexOf(css.mode === "url" ? ")" : css.mode.slice(-1));
  const url = end < 0 ? text : text.slice(0, end);
  if (url.includes("\\"))
    throw new TemplateError("a URL with a value in it contains a backslash", "remove the backslash");
  return url;
}

const urlKinds: ReadonlySet<Context["kind"]> = new Set([
  "url",
  "sameOrigin",
  "form",
  "unsaid",
  "refresh",
  "srcset",
  "urls",
  "animation",
]);
