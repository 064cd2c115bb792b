import type { Script } from "./context.ts";
import { TemplateError } from "./template-error.ts";

/** The state of a script at a position in its text. */
export interface Reading {
  readonly at: number;
  readonly script: Script;
}

/** Words after which a slash starts a regular expression. After any other word, it is a division. */
const operators: ReadonlySet<string> = new Set(
  "break case continue default delete do else extends finally in instanceof new return throw try typeof void".split(
    " ",
  ),
);

/** Words that are names in some positions and keywords in others. */
const contextual: ReadonlySet<string> = new Set(["await", "async", "let", "of", "yield"]);

/** Keywords whose parenthesis is followed by a statement. */
const conditions: ReadonlySet<string> = new Set(["if", "while", "for", "with"]);

/** Returns the possible readings of the next token; empty if the script is invalid. */
export function readToken(text: string, at: number, script: Script): readonly Reading[] {
  return steps[script.mode](text, at, script);
}

const steps: Record<Script["mode"], (text: string, at: number, script: Script) => readonly Reading[]> = {
  code,
  '"': quoted,
  "'": quoted,
  "`": template,
  regexp,
  regexpClass,
  line: lineComment,
  block: blockComment,
  lost: (text, _at, script) => [{ at: text.length, script }],
};

const lineEnd = /[\n\r\u2028\u2029]/;

function code(text: string, at: number, script: Script): readonly Reading[] {
  const character = text.charAt(at);
  if (/\s/.test(character)) {
    return [{ at: at + 1, script: lineEnd.test(character) ? { ...script, lineStart: true } : script }];
  }
  if (text.startsWith("<!--", at) || (script.lineStart && text.startsWith("-->", at))) {
    return [{ at: text.length, script: { ...script, mode: "lost", why: "it contains an HTML comment" } }];
  }
  if (character === "/" && /[/*]/.test(text.charAt(at + 1))) return commentStart(text, at, script);
  const inside = script.lineStart && character === "-" ? script : { ...script, lineStart: false };
  if (/[\w$\u0080-\uffff]/.test(character)) return word(text, at, inside);
  if (character === "/") return slash(at, inside);
  return [{ at: at + 1, script: afterPunctuator(text, at, { ...inside, before: "" }, script) }];
}

function commentStart(text: string, at: number, script: Script): readonly Reading[] {
  return [{ at: at + 2, script: { ...script, mode: text.charAt(at + 1) === "/" ? "line" : "block" } }];
}

function afterPunctuator(text: string, at: number, script: Script, { before }: Script): Script {
  const character = text.charAt(at);
  const { nest } = script;
  switch (character) {
    case '"':
    case "'":
      return { ...script, mode: character, before: script.map || isAddress(before) ? "specifier" : "", specifier: "" };
    case "`":
      return { ...script, mode: "`", nest: `${nest}\`` };
    case "(":
      return {
        ...script,
        slash: "regexp",
        nest: nest + parentheses[before],
        before: before === "import" ? before : "",
      };
    case ")":
      return { ...script, slash: afterParenthesis(nest), nest: /[(c?]$/.test(nest) ? nest.slice(0, -1) : nest };
    case "{":
      return { ...script, slash: "statement", nest: nest.includes("`") ? `${nest}{` : nest };
    case "}":
      return closedBrace(script);
    case ";":
      return { ...script, slash: "statement" };
    case "]":
      return { ...script, slash: "division" };
    case ".":
      // A number may end with a decimal point.
      return { ...script, slash: "unknown", before: "dot" };
    default:
      return { ...script, slash: isTwice(text, at) ? "unknown" : "regexp" };
  }
}

/**
 * True if a string is an address, as in `import "a"` or `export * from "a"`. A word that was split may be either
 * keyword.
 */
function isAddress(before: Script["before"]): boolean {
  return before === "import" || before === "from" || before === "part";
}

const parentheses: Readonly<Record<Script["before"], string>> = {
  "": "(",
  dot: "(",
  condition: "c",
  unknown: "?",
  part: "?",
  import: "(",
  from: "(",
  specifier: "(",
};

function afterParenthesis(nest: string): Script["slash"] {
  if (nest.endsWith("(")) return "division";
  return nest.endsWith("c") ? "statement" : "unknown";
}

/** True for `++` and `--`, which may precede or follow a value. */
function isTwice(text: string, at: number): boolean {
  const character = text.charAt(at);
  return (character === "+" || character === "-") && text.charAt(at - 1) === character;
}

/** Handles the end of a block, an object, or a `${…}` in a template literal. */
function closedBrace(script: Script): Script {
  if (!script.nest.endsWith("{")) return { ...script, slash: "unknown" };
  const nest = script.nest.slice(0, -1);
  return { ...script, mode: nest.endsWith("`") ? "`" : "code", slash: "unknown", nest };
}

function word(text: string, at: number, script: Script): readonly Reading[] {
  const end = endOf(text, at, /[^\w$\u0080-\uffff]/g);
  return [{ at: end, script: afterWord(text.slice(at, end), script) }];
}

function afterWord(name: string, script: Script): Script {
  if (script.before === "dot") return { ...script, slash: "division", before: "" };
  if (script.before === "part") return { ...script, slash: "unknown", before: "part" };
  if (name === "import" || name === "from") return { ...script, slash: "division", before: name };
  if (conditions.has(name)) return { ...script, slash: "regexp", before: "condition" };
  if (contextual.has(name)) return { ...script, slash: "unknown", before: "unknown" };
  return { ...script, slash: operators.has(name) ? "regexp" : "division", before: "" };
}

function slash(at: number, script: Script): readonly Reading[] {
  const pattern: Reading = { at: at + 1, script: { ...script, mode: "regexp", before: "", tail: "/" } };
  const division: Reading = { at: at + 1, script: { ...script, slash: "regexp", before: "", tail: "/" } };
  if (script.slash === "unknown") return [division, pattern];
  return [script.slash === "division" ? division : pattern];
}

function quoted(text: string, at: number, script: Script): readonly Reading[] {
  const character = text.charAt(at);
  if (character === "\\") {
    const end = afterEscape(text, at);
    return [{ at: end, script: withSpecifier(script, escaped) }];
  }
  if (character === script.mode) {
    return [{ at: at + 1, script: { ...script, mode: "code", slash: "division", before: "", specifier: "" } }];
  }
  if (/[\n\r]/.test(character)) return [];
  const end = endOf(text, at, script.mode === '"' ? /["\\\n\r]/g : /['\\\n\r]/g);
  return [{ at: end, script: withSpecifier(script, text.slice(at, end)) }];
}

/** Stands for an escape in the address of a module, which makes the rest of its value unknown. */
export const escaped = "\0";

function withSpecifier(script: Script, text: string): Script {
  return script.before === "specifier" ? { ...script, specifier: script.specifier + text } : script;
}

function template(text: string, at: number, script: Script): readonly Reading[] {
  if (text.charAt(at) === "\\") return [{ at: afterEscape(text, at), script }];
  if (text.startsWith("${", at)) {
    return [{ at: at + 2, script: { ...script, mode: "code", slash: "regexp", nest: `${script.nest}{` } }];
  }
  if (text.charAt(at) !== "`") return [{ at: at + 1, script }];
  return [{ at: at + 1, script: { ...script, mode: "code", slash: "division", nest: script.nest.slice(0, -1) } }];
}

function regexp(text: string, at: number, script: Script): readonly Reading[] {
  const character = text.charAt(at);
  if (lineEnd.test(character)) return [];
  if (character === "\\") return [{ at: afterEscape(text, at), script }];
  if (character === "[") return [{ at: at + 1, script: { ...script, mode: "regexpClass" } }];
  if (character !== "/") return [{ at: at + 1, script }];
  const flags = endOf(text, at + 1, /[^\w$]/g);
  return [{ at: flags, script: { ...script, mode: "code", slash: "division", before: "" } }];
}

function regexpClass(text: string, at: number, script: Script): readonly Reading[] {
  const character = text.charAt(at);
  if (lineEnd.test(character)) return [];
  if (character === "\\") return [{ at: afterEscape(text, at), script }];
  return [{ at: at + 1, script: character === "]" ? { ...script, mode: "regexp" } : script }];
}

function lineComment(text: string, at: number, script: Script): readonly Reading[] {
  const end = endOf(text, at, /[\n\r\u2028\u2029]/g);
  return [{ at: end, script: end < text.length ? { ...script, mode: "code" } : script }];
}

/** Scans a block comment. Values in it are omitted, so `*` before a value and `/` after it end the comment. */
function blockComment(text: string, at: number, script: Script): readonly Reading[] {
  const met = at === 0 && script.tail === "*" && text.startsWith("/");
  const end = met ? 1 : text.indexOf("*/", at) + 2;
  if (!met && end < 2) return [{ at: text.length, script }];
  const lineStart = script.lineStart || lineEnd.test(text.slice(at, end));
  return [{ at: end, script: { ...script, mode: "code", lineStart, tail: "" } }];
}

function afterEscape(text: string, at: number): number {
  if (at + 1 >= text.length)
    throw new TemplateError("there is a backslash directly before an expression", "remove the backslash");
  return text.startsWith("\r\n", at + 1) ? at + 3 : at + 2;
}

function endOf(text: string, at: number, end: RegExp): number {
  end.lastIndex = at;
  return end.exec(text)?.index ?? text.length;
}
