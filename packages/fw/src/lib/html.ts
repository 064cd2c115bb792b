/** The key of text that is already HTML. JSON cannot contain a symbol, so data can never claim to be HTML. */
export const MARKUP: unique symbol = Symbol.for("fw.markup");

/** HTML that needs no escaping, because the framework created it. */
export interface Markup {
  readonly [MARKUP]: string;
}

export function markup(html: string): Markup {
  return { [MARKUP]: html };
}

export function isMarkup(value: unknown): value is Markup {
  return typeof value === "object" && value !== null && MARKUP in value;
}

/** Converts a value to text: "" for null, undefined, functions and symbols, RFC 3339 for dates. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null) return "";
  if (typeof value === "object") return textOfObject(value);
  return typeof value === "number" || typeof value === "boolean" || typeof value === "bigint" ? String(value) : "";
}

function textOfObject(value: object): string {
  if (isMarkup(value)) return value[MARKUP];
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "" : value.toISOString();
  if (Array.isArray(value)) return value.map(textOf).join(",");
  const prototype: unknown = Object.getPrototypeOf(value);
  // In plain data, `toString` might not be a function, so only class instances are converted with it.
  if (prototype === null || prototype === Object.prototype) return "[object Object]";
  // oxlint-disable-next-line typescript/no-base-to-string -- a class defines its own text
  return String(value);
}

/** Escapes a value as text between tags. Markup passes through unchanged. */
export function text(value: unknown): string {
  if (typeof value === "string") return escapeHTML(value);
  if (typeof value === "number") return String(value);
  return isMarkup(value) ? value[MARKUP] : escapeHTML(textOf(value));
}

/** Escapes a value inside quotes of either kind, in a `<title>` or `<textarea>`, or in a comment. */
export function attribute(value: unknown): string {
  return escapeHTML(typeof value === "string" ? value : textOf(value));
}

/** Escapes a value at the start of a `<textarea>`, where browsers drop one newline. */
export function textareaStart(value: unknown): string {
  const escaped = attribute(value);
  return escaped.startsWith("\n") ? `\n${escaped}` : escaped;
}

/**
 * Escapes `& < > " '` as character references, which browsers decode in text, quoted values, `<title>` and
 * `<textarea>`.
 */
export function escapeHTML(source: string): string {
  let out = "";
  let from = 0;
  for (let i = 0; i < source.length; i++) {
    const code = source.charCodeAt(i);
    const reference = code < references.length ? references[code] : undefined;
    if (reference === undefined) continue;
    out += source.slice(from, i) + reference;
    from = i + 1;
  }
  return from === 0 ? source : out + source.slice(from);
}

/** Character references by character code. */
const references: readonly (string | undefined)[] = /* @__PURE__ */ referencesOf({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
});

function referencesOf(named: Readonly<Record<string, string>>): (string | undefined)[] {
  const codes = Object.keys(named).map((character) => character.charCodeAt(0));
  return Array.from({ length: Math.max(...codes) + 1 }, (_, code) => named[String.fromCharCode(code)]);
}
