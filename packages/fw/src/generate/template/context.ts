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
  /**
   * True where the page follows the URL's text while it is made, because values or branches are part of its beginning.
   */
  readonly tracked: boolean;
  /** Literal text gathered so far: a URL's unfinished scheme, or the value of `type`, `rel` or `http-equiv`. */
  readonly head: string;
  /**
   * The part of a comment's end, or of a raw text's end tag, in which the literal broke off; `?` first where only some
   * branches did.
   */
  readonly tail: string;
  /**
   * Every way in which the script so far can be read; one, but for a slash that may divide or begin a regular
   * expression.
   */
  readonly js: readonly Script[];
  readonly css: Style;
  /**
   * How the tag describes itself: a script's `type`, a meta's `http-equiv`, a link's `rel`; `?` where branches
   * disagree.
   */
  readonly type: string;
  /** How many `<svg>` and `<math>` are open. */
  readonly foreign: number;
  /** True inside a form whose address data may choose. */
  readonly form: boolean;
  /** True inside `<noscript>`, which browsers that run scripts read as text. */
  readonly noscript: boolean;
}

/**
 * How an attribute's value is read by the browser or by a library: text, one URL (`url` may lead anywhere;
 * `sameOrigin` brings code; `form` takes a token along; `unsaid` is a link whose `rel` comes later), a list of URLs,
 * or another language.
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
 * How far a URL is settled: not yet, by literals alone (`head`); begun by data, which may still choose a scheme; by
 * data, which may not; a settled origin; in its query or fragment; a scheme that runs code; the width of an image; or
 * different things in different branches.
 */
export type URLPart = "delay" | "start" | "dynamic" | "rest" | "path" | "query" | "unsafe" | "descriptor" | "mixed";

export interface Script {
  readonly mode: "code" | '"' | "'" | "`" | "regexp" | "regexpClass" | "line" | "block" | "lost";
  /** What a slash would begin here; at the start of a statement a regular expression, too. */
  readonly slash: "regexp" | "division" | "unknown" | "statement";
  /**
   * What the token before decides about: a property's name, the parenthesis of a condition, one that may be that, the
   * rest of a word, or the address of a module. `specifier` while that address is read.
   */
  readonly before: "" | "dot" | "condition" | "unknown" | "part" | "import" | "from" | "specifier";
  /** Open parentheses (`c` of a condition), template literals and the braces inside them, outermost first. */
  readonly nest: string;
  /** True where nothing but space and comments stand on the line so far. */
  readonly lineStart: boolean;
  /** What the literal text broke off in: the beginning of a comment, a word. */
  readonly tail: string;
  /** The literal text of a module's address so far. */
  readonly specifier: string;
  /** True in an import map, where every text is the address of a module. */
  readonly map: boolean;
  /** Why the script cannot be followed any more. */
  readonly why: string;
}

export interface Style {
  readonly mode: "code" | '"' | "'" | "block" | 'url"' | "url'" | "url";
  /** True in an `@import`, up to its semicolon: a URL brings another style sheet. */
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
/** The beginning of an import map. */
export const importMapStart: readonly Script[] = [{ ...scriptStart, map: true }];
const styleStart: Style = { mode: "code", imports: false };

/** The place between tags, where every template begins and ends. */
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

/** Between tags again. */
export function toText(from: Context): Context {
  return { ...textContext, foreign: from.foreign, form: from.form, noscript: from.noscript };
}

/** Inside a tag, with no attribute begun. */
export function toTag(from: Context): Context {
  return { ...toText(from), state: "tag", tag: from.tag, closing: from.closing, type: from.type };
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
