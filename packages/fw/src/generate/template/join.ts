import { contextKey, sameContext, type Context, type URLPart } from "./context.ts";

/** The one place where two branches may both end, or undefined when they end in different ones. */
export function join(a: Context, b: Context): Context | undefined {
  if (sameContext(a, b)) return a;
  if (inTag(a) && inTag(b)) return joinTags(a, b);
  const [left, right] = [settled(a, b), settled(b, a)];
  return contextKey(left) === contextKey(right) ? left : undefined;
}

const tagStates: ReadonlySet<Context["state"]> = new Set(["tag", "attrName", "afterName"]);

function inTag(context: Context): boolean {
  return tagStates.has(context.state);
}

/** `<input {{#if on}}checked{{/if}}>`: an attribute's name may just have ended, or not. */
function joinTags(a: Context, b: Context): Context | undefined {
  if (a.tag !== b.tag || a.closing !== b.closing) return undefined;
  const type = a.type === b.type ? a.type : "?";
  const attr = a.state === b.state && a.attr === b.attr ? a.attr : "?";
  return { ...a, state: a.state === b.state ? a.state : "attrName", attr, type, foreign: a.foreign || b.foreign };
}

/** `a` with whatever it may disagree about with `b` set to what holds for both. */
function settled(a: Context, b: Context): Context {
  const js = a.js.slash === b.js.slash ? a.js : { ...a.js, slash: "unknown" as const };
  const head = a.head === b.head ? a.head : "?";
  const url = a.url === b.url && a.head === b.head ? a.url : joinURLs(a.url, b.url);
  return { ...a, js, url, head: url === a.url && url === b.url ? head : "", foreign: a.foreign || b.foreign };
}

const unsettled: ReadonlySet<URLPart> = new Set(["start", "scheme", "dynamic", "slash", "path"]);

function joinURLs(a: URLPart, b: URLPart): URLPart {
  if (a === "unsafe" || b === "unsafe") return "unsafe";
  return unsettled.has(a) && unsettled.has(b) ? "dynamic" : "mixed";
}
