import { urlPlace } from "../../lib/url-place.ts";
import type { Context } from "./context.ts";
import { TemplateError } from "./template-error.ts";
import { decodeReferences } from "./references.ts";
import { endOfValue } from "./scan-html.ts";
import { beginValue } from "./tag.ts";
import type { Work } from "./unit.ts";

/** The escapers of a value inside a URL, innermost first. In compiled code `u` is the URL that is being made. */
export function urlEscapes(context: Pick<Context, "url" | "head" | "tracked" | "kind" | "tag">): string[] {
  if (context.kind === "srcset" && context.url !== "descriptor") return imageEscapes(context);
  return [urlEscape(context)];
}

function imageEscapes(context: Parameters<typeof urlEscapes>[0]): string[] {
  if (context.url === "start" && context.head === "") return [`${unfinished(context)}.images`];
  return ["h.withoutCommas", urlEscape(context)];
}

function urlEscape(context: Parameters<typeof urlEscapes>[0]): string {
  const { url, kind, tracked } = context;
  switch (url) {
    case "delay":
      return "h.refreshDelay";
    case "descriptor":
      return "h.descriptor";
    case "start":
      return `${unfinished(context)}.${beginning(context)}`;
    case "dynamic":
      if (kind === "sameOrigin") throw choosesOrigin(context.tag);
      return "u.more";
    case "rest":
      return "u.more";
    case "path":
      return tracked ? "u.more" : "h.urlRest";
    case "query":
      return "h.urlQuery";
    case "unsafe":
      throw new TemplateError(
        "data cannot stand in a URL whose scheme runs code",
        "use an event handler or a plain link",
      );
    default:
      throw new TemplateError("this URL may or may not be in its query here", "write the whole URL inside each branch");
  }
}

function unfinished({ head, tracked }: Pick<Context, "head" | "tracked">): string {
  return tracked ? "u" : `u.begin(${JSON.stringify(head)})`;
}

/** How a value goes on after literals that do not settle the origin. */
function beginning({ head, kind, tag }: Pick<Context, "head" | "kind" | "tag">): string {
  switch (urlPlace(head)) {
    case "start":
      return kind === "sameOrigin" ? "ownOrigin" : "whole";
    case "scheme":
      if (kind === "sameOrigin") throw choosesOrigin(tag);
      return "more";
    case "noHost":
      throw new TemplateError(
        "data could choose the host of this URL",
        "write the host and a / in the template, or pass the whole URL as one value",
      );
    default:
      return "more";
  }
}

function choosesOrigin(tag: string): TemplateError {
  return new TemplateError(
    `data could choose the origin of this <${tag}>`,
    "begin the URL with / or with https:// and a host",
  );
}

/** The place at which branches begin. Where the origin of a URL is not settled yet, what they write is followed from here on. */
export function beforeBranches(context: Context, { emitter }: Work): Context {
  if (!isUnsettled(context.state === "beforeValue" ? beginValue(context, "") : context)) return context;
  emitter.statement(`u.begin(${JSON.stringify(context.head)});`);
  return { ...context, tracked: true };
}

function isUnsettled({ state, kind, url, css, tracked }: Context): boolean {
  if (tracked || url !== "start") return false;
  if (state === "style") return css.mode.startsWith("url");
  if (state !== "value") return false;
  return kind === "style" ? css.mode.startsWith("url") : urlKinds.has(kind);
}

/** Has the page follow literal text that belongs to a URL it follows already. */
export function followLiteral(text: string, context: Context, { emitter }: Work): void {
  if (!context.tracked) return;
  const literal = urlText(text, context);
  if (literal === "") return;
  if (context.url === "start") emitter.statement(`u.note(${JSON.stringify(literal)});`);
  else emitter.value(`u.joint(${JSON.stringify(literal)})`);
}

/** The part of a text that goes on with the URL it begins in, as the browser reads it. */
function urlText(text: string, context: Context): string {
  if (context.state === "style") return styleURL(text, context);
  if (context.state === "beforeValue") {
    const [before = "", quote = ""] = /^\s*(["']?)/.exec(text) ?? [];
    return urlText(text.slice(before.length), beginValue(context, quote as Context["quote"]));
  }
  const value = decodeReferences(text.slice(0, endOfValue(text, context.quote)));
  if (context.kind === "style") return styleURL(value, context);
  return context.kind === "srcset" || context.kind === "urls" ? (/^\S*/.exec(value)?.[0] ?? "") : value;
}

function styleURL(text: string, { css }: Context): string {
  const end = text.indexOf(css.mode === "url" ? ")" : css.mode.slice(-1));
  const url = end < 0 ? text : text.slice(0, end);
  if (url.includes("\\")) throw new TemplateError("a URL that data is part of has a backslash", "write it without");
  return url;
}

const urlKinds: ReadonlySet<Context["kind"]> = new Set(["url", "sameOrigin", "refresh", "srcset", "urls"]);
