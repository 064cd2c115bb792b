import { textOf } from "./html.ts";

/** A message in one language: a text with `{names}`, or one text per plural category of its `count`. */
export type Message = string | Readonly<Record<string, string>>;

/** Options of `{{date}}`, `{{time}}` and `{{number}}`, which the compiler has validated. */
type Format<Options> = Readonly<Options>;

let formats: Map<string, Intl.NumberFormat | Intl.DateTimeFormat | Intl.PluralRules> | undefined;

/** Caches formatters, because they are expensive to create and a template uses few. */
function cached<F extends Intl.NumberFormat | Intl.DateTimeFormat | Intl.PluralRules>(key: string, create: () => F): F {
  formats ??= new Map();
  const format = (formats.get(key) as F | undefined) ?? create();
  formats.set(key, format);
  return format;
}

/** Implements `{{t "cart.items" count=n}}`: a message in a language, with values formatted for that language. */
export function message(
  language: string,
  messages: Readonly<Record<string, Message>>,
  values: Readonly<Record<string, unknown>>,
): string {
  const entry = messages[language] ?? "";
  const text = typeof entry === "string" ? entry : (entry[pluralOf(language, values["count"])] ?? entry["other"] ?? "");
  return text.replace(/\{(\w+)\}/g, (_, name: string) => localText(language, values[name]));
}

function pluralOf(language: string, count: unknown): string {
  return cached(`plural ${language}`, () => new Intl.PluralRules(language)).select(Number(count));
}

function localText(language: string, value: unknown): string {
  if (typeof value === "number" || typeof value === "bigint") return numberText(language, value, {});
  if (value instanceof Date) return dateText(language, value, { dateStyle: "medium", timeZone: "UTC" });
  return value === undefined || value === null ? "" : textOf(value);
}

/** Implements `{{number n currency="EUR"}}`: formats a number for a language; "" for anything else. */
export function numberText(language: string, value: unknown, options: Format<Intl.NumberFormatOptions>): string {
  if (typeof value !== "number" && typeof value !== "bigint") return "";
  const key = `number ${language} ${JSON.stringify(options)}`;
  return cached(key, () => new Intl.NumberFormat(language, options)).format(value);
}

/** Implements `{{date at style="long"}}`: formats an instant for a language; "" for anything else. */
export function dateText(language: string, value: unknown, options: Format<Intl.DateTimeFormatOptions>): string {
  const at =
    value instanceof Date
      ? value
      : typeof value === "string" || typeof value === "number"
        ? new Date(value)
        : undefined;
  if (at === undefined || Number.isNaN(at.getTime())) return "";
  const key = `date ${language} ${JSON.stringify(options)}`;
  return cached(key, () => new Intl.DateTimeFormat(language, options)).format(at);
}
