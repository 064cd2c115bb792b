import { describe, type Context } from "./context.ts";
import { TemplateError } from "./template-error.ts";
import { afterScriptValue, scriptValueEscape } from "./scan-script.ts";
import { afterURLValue } from "./scan-url.ts";
import { afterPlainValue, atStart, beginValue } from "./tag.ts";
import { urlEscapes } from "./url-value.ts";

/** How a value from data goes into one place of a page. */
export interface Escape {
  /** Literal text before the value, such as a quote that the template left out. */
  readonly before: string;
  /** The escapers (`h` is `runtime/page/template-functions.ts`), innermost first; none where the value is left out. */
  readonly through: readonly string[];
  readonly after: string;
  readonly next: Context;
}

/** The escape for a value at this place; refuses places where none can be right. */
export function escapeAt(context: Context): Escape {
  switch (context.state) {
    case "text":
      return plainly(["h.text"], context);
    case "rcdata":
      return plainly([context.head === atStart ? "h.textareaStart" : "h.attribute"], { ...context, head: "" });
    case "comment":
      // Spaces keep what surrounds the value from becoming the comment's end when the value is empty.
      return { before: " ", through: ["h.attribute"], after: " ", next: context };
    case "script":
      return plainly(scriptEscape(context), { ...context, js: afterScriptValue(context.js) });
    case "style":
      return plainly(styleEscape(context), afterStyleValue(context));
    case "value":
      return valueEscape(context);
    case "beforeValue":
      return { ...valueEscape(beginValue(context, "")), before: '"' };
    default:
      throw new TemplateError(`data cannot stand ${describe(context)}`, hints[context.state]);
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
    throw new TemplateError(
      "this <script> is in a language that fw cannot escape for",
      'use type="application/json" or plain JavaScript',
    );
  }
  return scriptValueEscape(js);
}

function styleEscape(context: Context): string[] {
  switch (context.css.mode) {
    case "block":
      return [];
    case "code":
      return ["h.styleValue"];
    case '"':
    case "'":
      return ["h.styleString"];
    default:
      return urlEscapes({ ...context, kind: "url" });
  }
}

function valueEscape(context: Context): Escape {
  const inner = innerEscape(context);
  // A whole plain value needs the quotes' escape alone; everything else goes through its own language first.
  const through = inner.length === 0 && context.kind !== "plain" ? [] : [...inner, "h.attribute"];
  return { before: "", through, after: "", next: afterValue(context) };
}

function innerEscape(context: Context): string[] {
  switch (context.kind) {
    case "plain":
      return [];
    case "url":
    case "urls":
    case "refresh":
    case "sameOrigin":
    case "srcset":
      return urlEscapes(context);
    case "token":
      return ["h.token"];
    case "script":
      return scriptEscape(context);
    case "style":
      return styleEscape(context);
    case "document":
      throw new TemplateError(
        "data cannot stand in srcdoc, which holds a whole document",
        "serve the document as a page and use src",
      );
    case "type":
      throw new TemplateError(`data cannot choose the ${context.attr} of <${context.tag}>`, "write it in the template");
    default:
      throw new TemplateError(
        "the branches before disagree about which attribute this is",
        "write each attribute whole inside its branch",
      );
  }
}

function afterStyleValue(context: Context): Context {
  return context.css.mode.startsWith("url") ? { ...context, ...afterURLValue(context) } : context;
}

function afterValue(context: Context): Context {
  switch (context.kind) {
    case "script":
      return { ...context, js: afterScriptValue(context.js) };
    case "style":
      return afterStyleValue(context);
    case "url":
    case "urls":
    case "sameOrigin":
    case "srcset":
    case "refresh":
      return { ...context, ...afterURLValue(context) };
    default:
      return afterPlainValue(context);
  }
}
