import { describe, type Context } from "./context.ts";
import { TemplateError } from "./template-error.ts";
import { afterScriptValue, scriptValueEscape } from "./scan-script.ts";
import { afterURLValue } from "./scan-url.ts";
import { checkTail } from "./scan-raw.ts";
import { afterPlainValue, atStart, beginValue, dataInAction } from "./tag.ts";
import { urlEscapes } from "./url-value.ts";

/** The escaping of a value at one position of a page. */
export interface Escape {
  /** Literal text before the value, such as a quote that the template omits. */
  readonly before: string;
  /** The escapers (`h` is `runtime/page/template-functions.ts`), innermost first; empty if the value is omitted. */
  readonly through: readonly string[];
  readonly after: string;
  readonly next: Context;
}

/** Chooses the escaping of a value at this position; refuses positions where no escaping is safe. */
export function escapeAt(context: Context): Escape {
  checkTail(context);
  switch (context.state) {
    case "text":
      return plainly(["h.text"], context);
    case "rcdata":
      return plainly([context.head === atStart ? "h.textareaStart" : "h.attribute"], { ...context, head: "" });
    case "comment":
      // The spaces keep the surrounding text from forming the comment's end if the value is empty.
      return { before: " ", through: ["h.attribute"], after: " ", next: { ...context, tail: "" } };
    case "script":
      refuseForeign(context);
      return plainly(scriptEscape(context), { ...context, js: afterScriptValue(context.js) });
    case "style":
      refuseForeign(context);
      return plainly(styleEscape(context), afterStyleValue(context));
    case "value":
      return valueEscape(context);
    case "beforeValue":
      return { ...valueEscape(beginValue(context, "")), before: '"' };
    default:
      throw new TemplateError(`a value is not allowed ${describe(context)}`, hints[context.state]);
  }
}

type WithoutValues = Exclude<
  Context["state"],
  "text" | "rcdata" | "comment" | "script" | "style" | "value" | "beforeValue"
>;

const hints: Readonly<Record<WithoutValues, string>> = {
  raw: "write the value in another element, such as <pre>",
  declaration: "write the declaration in the template",
  lt: "write the tag name in the template",
  ltSlash: "write the tag name in the template",
  tagName: "write the tag name in the template",
  tag: "write the attribute in the template, inside {{#if}} when it is there only sometimes",
  attrName: "write the attribute in the template, inside {{#if}} when it is there only sometimes",
  afterName: "write the attribute in the template, inside {{#if}} when it is there only sometimes",
};

/**
 * Refuses a value in a script or style in SVG or MathML, where browsers decode character references and may parse
 * markup.
 */
function refuseForeign({ foreign, tag }: Context): void {
  if (foreign === 0) return;
  throw new TemplateError(
    `a value is not allowed in the <${tag}> of an <svg> or <math>`,
    `move the <${tag}> outside it, or put the value into an attribute`,
  );
}

function plainly(through: readonly string[], next: Context): Escape {
  return { before: "", through, after: "", next };
}

function scriptEscape({ js, type, state }: Context): string[] {
  if (type === "?" && state === "script") {
    throw new TemplateError(
      "this <script> has a type that fw cannot escape for",
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
      return urlEscapes({ ...context, kind: context.css.imports ? "sameOrigin" : "url" });
  }
}

function valueEscape(context: Context): Escape {
  const inner = innerEscape(context);
  // A plain value is only escaped for the quotes. Any other value is first escaped for its own language.
  const through =
    inner.length === 0 && context.kind !== "plain" && context.kind !== "rel" ? [] : [...inner, "h.attribute"];
  return { before: "", through, after: "", next: afterValue(context) };
}

function innerEscape(context: Context): string[] {
  switch (context.kind) {
    case "plain":
    case "rel":
      return [];
    case "url":
    case "urls":
    case "refresh":
    case "sameOrigin":
    case "form":
    case "unsaid":
    case "srcset":
    case "animation":
      return urlEscapes(context);
    case "token":
      return ["h.token"];
    case "script":
      return scriptEscape(context);
    case "style":
      return styleEscape(context);
    case "document":
      throw new TemplateError(
        `a value is not allowed in ${context.attr}, which becomes HTML`,
        context.attr === "srcdoc" ? "serve the document as a page and use src" : "write the value between tags",
      );
    case "type":
      throw new TemplateError(
        `a value cannot choose the ${context.attr} of <${context.tag}>`,
        "write it in the template",
      );
    default:
      throw new TemplateError(
        "after these branches it is unclear which attribute this is",
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
    case "form":
      return { ...context, ...afterURLValue(context), type: dataInAction };
    case "url":
    case "urls":
    case "sameOrigin":
    case "unsaid":
    case "srcset":
    case "animation":
    case "refresh":
      return { ...context, ...afterURLValue(context) };
    default:
      return afterPlainValue(context);
  }
}
