import type { Script } from "./context.ts";
import { Refusal } from "./refusal.ts";

/** After these words a slash begins a regular expression; after any other, a division. */
const operators: ReadonlySet<string> = new Set(
  "await break case continue delete do else finally in instanceof new of return throw try typeof void yield".split(" "),
);

/** Follows a stretch of literal JavaScript. */
export function scanScript(text: string, from: Script): Script {
  let script = from;
  for (let at = 0; at < text.length;) [at, script] = steps[script.mode](text, at, script);
  return script;
}

/** After a value from data, a slash divides. */
export function afterScriptValue(script: Script): Script {
  return script.mode === "code" ? { ...script, slash: "division" } : script;
}

type Step = (text: string, at: number, script: Script) => [number, Script];

const steps: Record<Script["mode"], Step> = {
  code,
  '"': quoted,
  "'": quoted,
  "`": template,
  regexp,
  regexpClass,
  line: (text, at, script) => comment(text, at, script, /[\n\r\u2028\u2029]/g),
  block: (text, at, script) => comment(text, at, script, /\*\//g),
};

function code(text: string, at: number, script: Script): [number, Script] {
  const character = text.charAt(at);
  if (/\s/.test(character)) return [at + 1, script];
  if (/[\w$\u0080-\uffff]/.test(character)) return word(text, at, script);
  if (character === '"' || character === "'") return [at + 1, { ...script, mode: character }];
  if (character === "`") return [at + 1, { ...script, mode: "`", nest: `${script.nest}\`` }];
  if (character === "/") return slash(text, at, script);
  if (character === "}" && script.nest.endsWith("{")) return closedBrace(at, script);
  const nest = character === "{" && script.nest !== "" ? `${script.nest}{` : script.nest;
  return [at + 1, { ...script, nest, slash: endsValue(text, at) ? "division" : "regexp" }];
}

function endsValue(text: string, at: number): boolean {
  const character = text.charAt(at);
  if (character === "+" || character === "-") return text.charAt(at - 1) === character;
  return character === ")" || character === "]";
}

function word(text: string, at: number, script: Script): [number, Script] {
  const end = endOf(text, at, /[^\w$\u0080-\uffff]/g);
  return [end, { ...script, slash: operators.has(text.slice(at, end)) ? "regexp" : "division" }];
}

function slash(text: string, at: number, script: Script): [number, Script] {
  const next = text.charAt(at + 1);
  if (next === "/") return [at + 2, { ...script, mode: "line" }];
  if (next === "*") return [at + 2, { ...script, mode: "block" }];
  if (script.slash === "unknown") {
    throw new Refusal(
      "after these branches a / could begin a regular expression or be a division",
      "end both branches alike, for instance with a semicolon",
    );
  }
  return [at + 1, script.slash === "regexp" ? { ...script, mode: "regexp" } : { ...script, slash: "regexp" }];
}

/** The end of a block, or of `${…}` inside a template literal. */
function closedBrace(at: number, script: Script): [number, Script] {
  const nest = script.nest.slice(0, -1);
  return [at + 1, { mode: nest.endsWith("`") ? "`" : "code", slash: "regexp", nest }];
}

function quoted(text: string, at: number, script: Script): [number, Script] {
  if (text.charAt(at) === "\\") return [afterEscape(text, at), script];
  if (text.charAt(at) === script.mode) return [at + 1, { ...script, mode: "code", slash: "division" }];
  return [endOf(text, at, script.mode === '"' ? /["\\]/g : /['\\]/g), script];
}

function template(text: string, at: number, script: Script): [number, Script] {
  if (text.charAt(at) === "\\") return [afterEscape(text, at), script];
  if (text.startsWith("${", at)) return [at + 2, { mode: "code", slash: "regexp", nest: `${script.nest}{` }];
  if (text.charAt(at) !== "`") return [at + 1, script];
  return [at + 1, { mode: "code", slash: "division", nest: script.nest.slice(0, -1) }];
}

function regexp(text: string, at: number, script: Script): [number, Script] {
  const character = text.charAt(at);
  if (character === "\\") return [afterEscape(text, at), script];
  if (character === "[") return [at + 1, { ...script, mode: "regexpClass" }];
  // No regular expression spans lines, so it was a division.
  const ends = character === "/" || character === "\n";
  return [at + 1, ends ? { ...script, mode: "code", slash: "division" } : script];
}

function regexpClass(text: string, at: number, script: Script): [number, Script] {
  const character = text.charAt(at);
  if (character === "\\") return [afterEscape(text, at), script];
  if (character === "\n") return [at + 1, { ...script, mode: "code", slash: "division" }];
  return [at + 1, character === "]" ? { ...script, mode: "regexp" } : script];
}

function comment(text: string, at: number, script: Script, end: RegExp): [number, Script] {
  end.lastIndex = at;
  return end.exec(text) === null ? [text.length, script] : [end.lastIndex, { ...script, mode: "code" }];
}

function afterEscape(text: string, at: number): number {
  if (at + 1 < text.length) return at + 2;
  throw new Refusal("a backslash stands right before an expression", "remove the backslash");
}

function endOf(text: string, at: number, end: RegExp): number {
  end.lastIndex = at;
  return end.exec(text)?.index ?? text.length;
}
