/** The position of template text in an HTML document. Plain data: equal positions have equal JSON. */
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
  /** The current tag, or the element that contains this raw text, in lower case. */
  readonly tag: string;
  readonly closing: boolean;
  /** The current attribute in lower case; `?` if branches disagree. */
  readonly attr: string;
  /** The quote around the current value; "" without a quote, which the compiler then adds. */
  readonly quote: '"' | "'" | "";
  readonly kind: ValueKind;
  readonly url: URLPart;
  /** True if the page tracks the URL's text at run time, because its start contains values or branches. */
  readonly tracked: boolean;
  /** Literal text so far: the unfinished scheme of a URL, or the value of `type`, `rel` or `http-equiv`. */
  readonly head: string;
  /**
   * An incomplete comment end or raw-text end tag at the end of the literal. Prefixed with `?` if only some branches
   * have it.
   */
  readonly tail: string;
  /** The possible readings of the script: only one, unless a slash may be a division or start a regular expression. */
  readonly js: readonly Script[];
  readonly css: Style;
  /**
   * The value that determines how the tag is read, such as a script's `type`, a meta's `http-equiv` or a link's `rel`;
   * `?` if branches disagree.
   */
  readonly type: string;
  /** The number of open `<svg>` and `<math>` elements. */
  readonly foreign: number;
  /** True inside a form whose action depends on data. */
  readonly form: boolean;
  /** True inside `<noscript>`, which browsers that run scripts read as text. */
  readonly noscript: boolean;
}

/**
 * How a browser or library reads an attribute's value. The kinds of a single URL: `url` may lead anywhere; `sameOrigin`
 * loads with this page's privileges; `form` sends a token; `unsaid` is in a link whose `rel` follows later.
 */
export type ValueKind =
  | "plain"
  | "url"
  | "sameOrigin"
  | "form"
  | "unsaid"
  | "srcset"
  | "urls"
  | "animation"
  | "script"
  | "style"
  | "refresh"
  | "token"
  | "document"
  | "type"
  | "rel"
  | "unknown";

/**
 * The position in a URL: before the URL of a refresh (`delay`); after literals only (`start`); after data that can
 * choose the scheme (`dynamic`) or cannot (`rest`); after a fixed origin (`path`); in the query or fragment; after a
 * scheme that runs code (`unsafe`); in an image's width (`descriptor`); or different between branches (`mixed`).
 */
export type URLPart = "delay" | "start" | "dynamic" | "rest" | "path" | "query" | "unsafe" | "descriptor" | "mixed";

export interface Script {
  readonly mode: "code" | '"' | "'" | "`" | "regexp" | "regexpClass" | "line" | "block" | "lost";
  /** The meaning of a slash here. At the start of a statement, it starts a regular expression. */
  readonly slash: "regexp" | "division" | "unknown" | "statement";
  /**
   * The expected next token: a property name (`dot`), the parenthesis of a condition (`condition`; `unknown` if
   * uncertain), the rest of a word (`part`) or a module's address (`import`, `from`). `specifier` inside that address.
   */
  readonly before: "" | "dot" | "condition" | "unknown" | "part" | "import" | "from" | "specifier";
  /** Open parentheses (`c` for a condition), template literals and braces inside them, outermost first. */
  readonly nest: string;
  /** True if the current line contains only white space and comments so far. */
  readonly lineStart: boolean;
  /** The unfinished token at the end of the literal: the start of a comment, or a word. */
  readonly tail: string;
  /** The literal text of a module's address so far. */
  readonly specifier: string;
  /** True in an import map, where every string is a module's address. */
  readonly map: boolean;
  /** The reason why the script cannot be followed further. */
  readonly why: string;
}

export interface Style {
  readonly mode: "code" | '"' | "'" | "block" | 'url"' | "url'" | "url";
  /** True in an `@import`, up to its semicolon, where a URL loads another stylesheet. */
  readonly imports: boolean;
}

const scriptStart: Script = {
  mode: "code",
  slash: "statement",
  before: "",
  nest: "",
  lineStart: true,
  tail: "",
  specifier: "",
  map: false,
  why: "",
};
export const importMapStart: readonly Script[] = [{ ...scriptStart, map: true }];
const styleStart: Style = { mode: "code", imports: false };

/** The position between tags, where a whole page starts and ends. */
export const textContext: Context = {
  state: "text",
  tag: "",
  closing: false,
  attr: "",
  quote: "",
  kind: "plain",
  url: "start",
  tracked: false,
  head: "",
  tail: "",
  js: [scriptStart],
  css: styleStart,
  type: "",
  foreign: 0,
  form: false,
  noscript: false,
};

export function contextKey(context: Context): string {
  return JSON.stringify(context);
}

export function sameContext(a: Context, b: Context): boolean {
  return a === b || contextKey(a) === contextKey(b);
}

/** Moves to the position between tags. */
export function toText(from: Context): Context {
  return { ...textContext, foreign: from.foreign, form: from.form, noscript: from.noscript };
}

/** Moves into a tag, between attributes. */
export function toTag(from: Context): Context {
  return { ...toText(from), state: "tag", tag: from.tag, closing: from.closing, type: from.type };
}

/** Describes the position in words, for messages. */
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
