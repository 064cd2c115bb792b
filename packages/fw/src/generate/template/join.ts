import { contextKey, sameContext, type Context, type URLPart } from "./context.ts";
import { joinScripts } from "./scan-script.ts";
import { nameFromData } from "./tag.ts";

/** Returns a context that fits the ends of two branches; undefined if there is none. */
export function join(a: Context, b: Context): Context | undefined {
  if (sameContext(a, b)) return a;
  if (inTag(a) && inTag(b)) return joinTags(a, b);
  const [left, right] = [generalize(a, b), generalize(b, a)];
  return contextKey(left) === contextKey(right) ? left : undefined;
}

const tagStates: ReadonlySet<Context["state"]> = new Set(["tag", "attrName", "afterName"]);

function inTag(context: Context): boolean {
  return tagStates.has(context.state);
}

/**
 * Joins contexts inside of a tag; undefined if the tags differ. In `<input {{#if on}}checked{{/if}}>`, an attribute's
 * name may have just ended.
 */
function joinTags(a: Context, b: Context): Context | undefined {
  if (a.tag !== b.tag || a.closing !== b.closing) return undefined;
  const type = a.type === b.type ? a.type : "?";
  const attr = a.state === b.state && a.attr === b.attr ? a.attr : "?";
  return { ...a, state: a.state === b.state ? a.state : "attrName", attr, type, ...surroundings(a, b) };
}

/** Generalizes `a` so that it also covers `b`. */
function generalize(a: Context, b: Context): Context {
  const js = joinScripts(a.js, b.js) ?? a.js;
  const url = joinURLs(a, b);
  // The text so far is in a URL or in the value of a type attribute.
  const head = headOf(a, b, url.url);
  return { ...a, js, ...url, head, tail: tailOf(a, b), ...surroundings(a, b) };
}

function headOf(a: Context, b: Context, url: URLPart): string {
  if (a.head === b.head) return a.head;
  if (a.kind === "rel" && a.tag === "meta" && !isConfig(a) && !isConfig(b)) return nameFromData;
  if (a.state === "rcdata") return "";
  if (url === "start") return a.head;
  return isURL(a) ? "" : "?";
}

function isConfig({ head }: Context): boolean {
  return head.toLowerCase().includes("config");
}

/** Returns the common tail, or one of the two marked with `?`: the longer one if it starts with the other. */
function tailOf(a: Context, b: Context): string {
  if (a.tail === b.tail) return a.tail;
  return `?${[a.tail, b.tail]
    .map((tail) => tail.replace("?", ""))
    .toSorted()
    .at(-1)}`;
}

/** Joins the surroundings of two branches: takes the stricter value of each property. */
function surroundings(a: Context, b: Context): Pick<Context, "foreign" | "form" | "noscript"> {
  return {
    foreign: Math.max(a.foreign, b.foreign),
    form: a.form || b.form,
    noscript: a.noscript || b.noscript,
  };
}

function isURL({ kind, url }: Context): boolean {
  return kind !== "type" && kind !== "rel" && url !== "delay";
}

const trackedParts: ReadonlySet<URLPart> = new Set(["start", "dynamic", "rest", "path"]);

/** Joins positions in URLs. Branches that end in different parts of a URL need tracking at run time. */
function joinURLs(a: Context, b: Context): Pick<Context, "url" | "tracked"> {
  const tracked = a.tracked && b.tracked;
  if (a.url === b.url && (a.url !== "start" || a.head === b.head)) return { url: a.url, tracked };
  if (a.url === "unsafe" || b.url === "unsafe") return { url: "unsafe", tracked: false };
  if (!tracked || !trackedParts.has(a.url) || !trackedParts.has(b.url)) return { url: "mixed", tracked: false };
  const mayHaveScheme = [a.url, b.url].some((url) => url === "start" || url === "dynamic");
  return { url: mayHaveScheme ? "dynamic" : "rest", tracked };
}
