/** Where in an HTML document a point of a template lies. Plain data: equal places have equal JSON. */
export interface Context {
  readonly state:
    | "text"
    | "rcdata"
    | "raw"
    | "script"
    | "style"
    | "comment"
    | "declaration"
    | "lt"
    | "ltSlash"
    | "tagName"
    | "tag"
    | "attrName"
    | "afterName"
    | "beforeValue"
    | "value";
  /** The tag being read, or the element whose raw text this is; lower case. */
  readonly tag: string;
  readonly closing: boolean;
  /** The attribute being read; lower case. `?` where branches disagree about it. */
  readonly attr: string;
  /** Of the value being read. "" for a value that the compiler closes itself, because the template left quotes out. */
  readonly quote: '"' | "'" | "";
  readonly kind: ValueKind;
  readonly url: URLPart;
  /** Literal text gathered so far: a URL's unfinished scheme, or the value of `type` or `http-equiv`. */
  readonly head: string;
  readonly js: Script;
  readonly css: Style;
  /** What the tag said of itself: a script's `type`, a meta's `http-equiv`; `?` where branches disagree. */
  readonly type: string;
  /** True within `<svg>` and `<math>`. */
  readonly foreign: boolean;
}

/** How an attribute's value is read by the browser or by htmx. */
export type ValueKind =
  | "plain"
  | "url"
  | "sameOrigin"
  | "srcset"
  | "script"
  | "style"
  | "refresh"
  | "token"
  | "document"
  | "type"
  | "unknown";

/**
 * How far a URL is settled: nothing yet, an unfinished literal scheme, begun by data, a lone slash, a settled origin,
 * in its query or fragment, a scheme that runs code, or different things in different branches.
 */
export type URLPart = "delay" | "start" | "scheme" | "dynamic" | "slash" | "path" | "query" | "unsafe" | "mixed";

export interface Script {
  readonly mode: "code" | '"' | "'" | "`" | "regexp" | "regexpClass" | "line" | "block";
  /** What a slash would begin here. */
  readonly slash: "regexp" | "division" | "unknown";
  /** Open template literals and the braces inside them, outermost first. */
  readonly nest: string;
}

export interface Style {
  readonly mode: "code" | '"' | "'" | "block" | 'url"' | "url'" | "url";
}

const scriptStart: Script = { mode: "code", slash: "regexp", nest: "" };
const styleStart: Style = { mode: "code" };

/** The place between tags, where every template begins and ends. */
export const textContext: Context = {
  state: "text",
  tag: "",
  closing: false,
  attr: "",
  quote: "",
  kind: "plain",
  url: "start",
  head: "",
  js: scriptStart,
  css: styleStart,
  type: "",
  foreign: false,
};

export function contextKey(context: Context): string {
  return JSON.stringify(context);
}

export function sameContext(a: Context, b: Context): boolean {
  return a === b || contextKey(a) === contextKey(b);
}

/** Between tags again. */
export function toText(from: Context): Context {
  return { ...textContext, foreign: from.foreign };
}

/** Inside a tag, with no attribute begun. */
export function toTag(from: Context): Context {
  return { ...textContext, state: "tag", tag: from.tag, closing: from.closing, type: from.type, foreign: from.foreign };
}

/** The place as a person would say it. */
export function describe(context: Context): string {
  switch (context.state) {
    case "text":
      return "between tags";
    case "comment":
      return "inside a comment";
    case "declaration":
      return "inside a <!…> declaration";
    case "rcdata":
    case "raw":
    case "script":
    case "style":
      return `inside <${context.tag}>`;
    case "value":
    case "beforeValue":
      return `inside the value of ${context.attr === "?" ? "an attribute" : context.attr} in <${context.tag}>`;
    case "lt":
    case "ltSlash":
      return "right after a <";
    default:
      return `inside the tag <${context.closing ? "/" : ""}${context.tag}>`;
  }
}
