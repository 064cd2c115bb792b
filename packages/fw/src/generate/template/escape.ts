import { describe, type Context, type URLPart } from "./context.ts";
import { Refusal } from "./refusal.ts";
import { afterScriptValue } from "./scan-script.ts";
import { afterURLValue } from "./scan-url.ts";
import { afterPlainValue, atStart, beginValue } from "./tag.ts";

/** How a value from data goes into one place of a page. */
export interface Escape {
  /** Literal text before the value, such as a quote that the template left out. */
  readonly before: string;
  /** Names of the escapers of `runtime/page/template.ts`, innermost first; none where the value is left out. */
  readonly through: readonly string[];
  readonly after: string;
  readonly next: Context;
}

/** The escape for a value at this place; refuses places where none can be right. */
export function escapeAt(context: Context): Escape {
  switch (context.state) {
    case "text":
      return plainly(["text"], context);
    case "rcdata":
      return plainly([context.head === atStart ? "textareaStart" : "attribute"], { ...context, head: "" });
    case "comment":
      // Spaces keep what surrounds the value from becoming the comment's end when the value is empty.
      return { before: " ", through: ["attribute"], after: " ", next: context };
    case "script":
      return plainly(scriptEscape(context), { ...context, js: afterScriptValue(context.js) });
    case "style":
      return plainly(styleEscape(context), { ...context, ...afterURLValue(context) });
    case "value":
      return valueEscape(context);
    case "beforeValue":
      return { ...valueEscape(beginValue(context, "")), before: '"' };
    default:
      throw new Refusal(`data cannot stand ${describe(context)}`, hints[context.state]);
  }
}

const hints: Partial<Record<Context["state"], string>> = {
  lt: "write the tag's name in the template",
  ltSlash: "write the tag's name in the template",
  tagName: "write the tag's name in the template",
  tag: "write the attribute in the template, inside {{#if}} when it is there only sometimes",
  attrName: "write the attribute in the template, inside {{#if}} when it is there only sometimes",
  afterName: "write the attribute in the template, inside {{#if}} when it is there only sometimes",
};

function plainly(through: readonly string[], next: Context): Escape {
  return { before: "", through, after: "", next };
}

function scriptEscape({ js, type, tag }: Context): string[] {
  if (type === "?" && tag === "script") {
    throw new Refusal(
      "this <script> is in a language that fw cannot escape for",
      'use type="application/json" or plain JavaScript',
    );
  }
  if (js.nest !== "")
    throw new Refusal("data cannot stand inside a template literal", "put the value in a constant before it");
  if (js.mode === "regexp" || js.mode === "regexpClass") {
    throw new Refusal("data cannot stand inside a regular expression", "put the value in a constant before it");
  }
  if (js.mode === "line" || js.mode === "block") return [];
  return [js.mode === "code" ? "scriptValue" : "scriptString"];
}

function styleEscape({ css, url, head }: Context): string[] {
  switch (css.mode) {
    case "block":
      return [];
    case "code":
      return ["styleValue"];
    case '"':
    case "'":
      return ["styleString"];
    default:
      return [urlEscape({ url, head })];
  }
}

function urlEscape({ url }: Pick<Context, "url" | "head">): string {
  if (url === "unsafe")
    throw new Refusal("data cannot stand in a URL whose scheme runs code", "use an event handler or a plain link");
  if (url === "mixed") {
    throw new Refusal("this URL may or may not be in its query here", "write the whole URL inside each branch");
  }
  return urlEscapes[url];
}

const urlEscapes: Record<Exclude<URLPart, "unsafe" | "mixed">, string> = {
  delay: "refreshDelay",
  start: "url",
  scheme: "urlMore",
  dynamic: "urlMore",
  slash: "urlAfterSlash",
  path: "urlRest",
  query: "urlQuery",
};

function valueEscape(context: Context): Escape {
  const inner = innerEscape(context);
  // A whole plain value needs the quotes' escape alone; everything else goes through its own language first.
  const through = inner.length === 0 && context.kind !== "plain" ? [] : [...inner, "attribute"];
  return { before: "", through, after: "", next: afterValue(context) };
}

function innerEscape(context: Context): string[] {
  switch (context.kind) {
    case "plain":
      return [];
    case "url":
    case "refresh":
      return [urlEscape(context)];
    case "sameOrigin":
      return [sameOriginEscape(context)];
    case "srcset":
    case "token":
      return [context.kind];
    case "script":
      return scriptEscape(context);
    case "style":
      return styleEscape(context);
    case "document":
      throw new Refusal(
        "data cannot stand in srcdoc, which holds a whole document",
        "serve the document as a page and use src",
      );
    case "type":
      throw new Refusal(`data cannot choose the ${context.attr} of <${context.tag}>`, "write it in the template");
    default:
      throw new Refusal(
        "the branches before disagree about which attribute this is",
        "write each attribute whole inside its branch",
      );
  }
}

function sameOriginEscape(context: Context): string {
  if (context.url === "start") return "sameOriginURL";
  if (context.url === "scheme" || context.url === "dynamic") {
    throw new Refusal(
      `data could choose the origin of this <${context.tag}>`,
      "begin the URL with / or with https:// and a host",
    );
  }
  return urlEscape(context);
}

function afterValue(context: Context): Context {
  switch (context.kind) {
    case "script":
      return { ...context, js: afterScriptValue(context.js) };
    case "style":
    case "url":
    case "sameOrigin":
    case "refresh":
      return { ...context, ...afterURLValue(context) };
    default:
      return afterPlainValue(context);
  }
}
