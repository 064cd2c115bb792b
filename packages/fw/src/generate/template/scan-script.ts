import { urlPlace } from "../../lib/url-place.ts";
import type { Script } from "./context.ts";
import { TemplateError } from "./template-error.ts";
import { escaped, readToken, type Reading } from "./script-tokens.ts";

/** The maximum number of readings of one script to follow at once. */
const maxReadings = 16;

/**
 * Scans literal JavaScript. If a slash may be a division or start a regular expression, follows both readings. Drops a
 * reading that turns out to be invalid, for example because a string does not end on its line.
 */
export function scanScript(text: string, from: readonly Script[]): readonly Script[] {
  if (text === "") return from;
  const open: Reading[] = from.map((script) => ({ at: 0, script: continueScript(text, script) }));
  const complete: Script[] = [];
  for (let reading = open.pop(); reading !== undefined; reading = open.pop()) {
    const read = followReading(text, reading, open);
    if (read !== undefined) complete.push(read);
    if (open.length + complete.length > maxReadings) return [lostScript(from[0], ambiguous)];
  }
  return distinct(complete);
}

/** Merges the readings of two branches; undefined if they end in different positions. */
export function joinScripts(a: readonly Script[], b: readonly Script[]): readonly Script[] | undefined {
  if (placesOf(a) !== placesOf(b)) return undefined;
  const joined = distinct([...a, ...b]);
  return joined.length > maxReadings ? [lostScript(a[0], ambiguous)] : joined;
}

function placesOf(scripts: readonly Script[]): string {
  const places = scripts.map(({ mode, nest }) => mode + nest.replace(/[(c?]/g, ""));
  return [...new Set(places)].toSorted().join(" ");
}

/** Removes duplicates, in a stable order. */
function distinct(scripts: readonly Script[]): readonly Script[] {
  const byKey = new Map(scripts.map((script) => [JSON.stringify(script), script]));
  return [...byKey.keys()].toSorted().flatMap((key) => byKey.get(key) ?? []);
}

/** Follows one reading to the end of the text; undefined if it is invalid. Adds alternative readings to `open`. */
function followReading(text: string, from: Reading, open: Reading[]): Script | undefined {
  let { at, script } = from;
  while (at < text.length) {
    if (script.mode === "lost") return script;
    const [next, ...others] = readToken(text, at, script);
    if (next === undefined) return undefined;
    open.push(...others);
    ({ at, script } = next);
  }
  return { ...script, tail: tailOf(text, script) };
}

const ambiguous = "here a / may divide or begin a regular expression";

function lostScript(script: Script | undefined, why: string): Script {
  const { nest = "", map = false } = script ?? {};
  return { mode: "lost", slash: "unknown", before: "", nest, lineStart: false, tail: "", specifier: "", map, why };
}

/** Continues a literal after the unfinished token of the previous one: the start of a comment, or a word. */
function continueScript(text: string, script: Script): Script {
  const { tail } = script;
  const next = text.charAt(0);
  const opens = htmlComment.startsWith(tail) && tail !== "" && next === htmlComment.charAt(tail.length);
  const comment = tail === "/" && (next === "/" || next === "*");
  const line = tail === "-" && (next === "-" || next === ">");
  if (opens || comment || line) return lostScript(script, `a comment begins in one branch and continues after it`);
  const goesOn = tail === "word" && /[\w$\u0080-\uffff]/.test(next);
  const before = goesOn && script.before !== "specifier" ? "part" : script.before;
  return { ...script, before, tail: tail === "*" ? tail : "" };
}

const htmlComment = "<!--";

function tailOf(text: string, { mode, lineStart, tail }: Script): string {
  if (mode === "block") return text.endsWith("*") ? "*" : "";
  const opens = /<(?:!-?)?$/.exec(text)?.[0];
  if (opens !== undefined) return opens;
  if (tail === "/" && text.endsWith("/")) return "/";
  if (mode !== "code") return "";
  if (lineStart && text.endsWith("-")) return "-";
  return /[\w$\u0080-\uffff]$/.test(text) ? "word" : "";
}

/** Returns the readings after a value from data. A slash is then a division, unless the value may be a statement. */
export function afterScriptValue(scripts: readonly Script[]): readonly Script[] {
  return distinct(scripts.map(afterValue));
}

function afterValue(script: Script): Script {
  if (script.mode === "block") return script;
  // A module's address allows values only in its path or query, so what follows is read as after "./".
  if (script.mode !== "code") return { ...script, tail: "", specifier: script.before === "specifier" ? "./" : "" };
  const slash = script.slash === "regexp" ? "division" : "unknown";
  return { ...script, slash, before: "", lineStart: false, tail: "" };
}

/**
 * Returns the escapers for a value in a script, innermost first; empty if the value is omitted. Refuses positions where
 * none is safe.
 */
export function scriptValueEscape(scripts: readonly Script[]): string[] {
  const kinds = new Set(scripts.map(kindOf));
  const [kind] = kinds;
  const why = scripts.find(({ mode }) => mode === "lost")?.why;
  if (why !== undefined) throw new TemplateError(`a value is not allowed in this script: ${why}`, inConstant);
  if (kind === undefined) {
    throw new TemplateError(
      "a value is not allowed after a string or regular expression that does not end on its line",
      "close it",
    );
  }
  if (kinds.size > 1) {
    throw new TemplateError("before this value, a / may be a division or begin a regular expression", inConstant);
  }
  if (kind === "template") throw new TemplateError("a value is not allowed inside a template literal", inConstant);
  if (kind === "regexp") throw new TemplateError("a value is not allowed inside a regular expression", inConstant);
  if (scripts.some(({ tail }) => tail.startsWith("<!"))) {
    throw new TemplateError("a value is not allowed right after <!", "write a space between them");
  }
  if (kind === "comment") return [];
  if (scripts.some(isAddress)) return addressEscape(scripts);
  return [kind === "code" ? "h.scriptValue" : "h.scriptString"];
}

/** True if the value is the address of a module, or part of it. */
function isAddress({ mode, before, map }: Script): boolean {
  return before === "specifier" || (mode === "code" && (map || before === "import" || before === "from"));
}

/** Returns the escapers for a value in an address whose origin the template determines; refuses any other address. */
function addressEscape(scripts: readonly Script[]): string[] {
  if (scripts.every(isSettled)) return ["h.urlInside", "h.scriptString"];
  throw new TemplateError(
    "a value could choose which module this script loads",
    "begin the URL with a path in the template, such as ./pages/",
  );
}

function isSettled({ mode, specifier }: Script): boolean {
  return mode !== "code" && !specifier.includes(escaped) && /^(?:path|query)$/.test(urlPlace(specifier));
}

const inConstant = "put the value in a constant before it";

function kindOf({ mode, nest }: Script): string {
  if (nest.includes("`")) return "template";
  if (mode === "regexp" || mode === "regexpClass") return "regexp";
  return mode === "line" || mode === "block" ? "comment" : mode === "code" ? "code" : "text";
}
