import { nearest } from "../../lib/suggest.ts";
import { isWord, type Call, type Expression, type Mustache, type Partial, type PartialBlock } from "./ast.ts";
import { namesOf, type Languages } from "./languages.ts";
import { TemplateError } from "./template-error.ts";

const helpers = ["t", "date", "time", "number"] as const;
type LocalHelper = (typeof helpers)[number];

const usages: Readonly<Record<LocalHelper, string>> = {
  t: 'write {{t "cart.items" count=items.length}}',
  date: 'write {{date at style="long" timeZone="Europe/Zurich"}}',
  time: 'write {{time at style="short" timeZone="Europe/Zurich"}}',
  number: 'write {{number price currency="EUR"}}, or digits=2, or style="percent"',
};

/** Returns the language helper in a call with arguments; undefined for data and other helpers. */
export function localHelper({ path, params }: Pick<Call, "path" | "params">): LocalHelper | undefined {
  const name = isWord(path) && params.length > 0 ? path.parts[0] : "";
  return helpers.find((helper) => helper === name);
}

export function localCalls(statement: Mustache | Partial | PartialBlock | Call): readonly Call[] {
  const own = "path" in statement && localHelper(statement) !== undefined ? [statement] : [];
  const inside = [...statement.params, ...(statement.hash?.pairs ?? []).map(({ value }) => value)];
  return [...own, ...inside.flatMap((each) => (each.type === "SubExpression" ? localCalls(each) : []))];
}

/** Returns the key of a message. Refuses unknown keys, and arguments that differ from the names in the message. */
export function checkMessage(call: Call, { messages }: Languages): string {
  const key = messageKey(call);
  const translations = messages.get(key);
  if (translations === undefined) throw unknownKey(key, [...messages.keys()]);
  const names = namesOf(translations);
  const argumentNames = (call.hash?.pairs ?? []).map((pair) => pair.key);
  const missing = [...names].find((name) => !argumentNames.includes(name));
  if (missing !== undefined)
    throw new TemplateError(`the message ${key} needs ${missing}=`, `pass it: {{t "${key}" ${missing}=${missing}}}`);
  const extra = argumentNames.find((name) => !names.has(name));
  if (extra !== undefined)
    throw new TemplateError(`the message ${key} has no {${extra}}`, `add {${extra}} to its texts, or remove ${extra}=`);
  return key;
}

function messageKey({ params }: Pick<Call, "params">): string {
  const [key, extra] = params;
  if (key?.type !== "StringLiteral" || extra !== undefined)
    throw new TemplateError("{{t}} takes the key of a message, as a string literal", usages.t);
  return String(key.value);
}

function unknownKey(key: string, keys: readonly string[]): TemplateError {
  const suggestion = nearest(key, keys);
  return new TemplateError(
    `there is no message ${key}`,
    suggestion === undefined
      ? "add it to each file of templates/messages/, such as messages/en.json"
      : `did you mean ${suggestion}?`,
  );
}

/** Compiles a call, using `compile` for its arguments. */
export function compileLocal(helper: LocalHelper, call: Call, compile: (expression: Expression) => string): string {
  const pairs = call.hash?.pairs ?? [];
  if (helper === "t") {
    const values = pairs.map(({ key, value }) => `[${JSON.stringify(key)}]: ${compile(value)}`).join(", ");
    return `h.message(p.language(L), M[${JSON.stringify(messageKey(call))}], { ${values} })`;
  }
  const [value, extra] = call.params;
  if (value === undefined || extra !== undefined)
    throw new TemplateError(`{{${helper}}} takes one value`, usages[helper]);
  const options = optionsOf(helper, new Map(pairs.map((pair) => [pair.key, pair.value])));
  const format = helper === "number" ? "numberText" : "dateText";
  return `h.${format}(p.language(L), ${compile(value)}, ${JSON.stringify(options)})`;
}

/** Returns the options for `Intl`. Tries them once, so that a mistake is found before the page is rendered. */
function optionsOf(helper: Exclude<LocalHelper, "t">, pairs: ReadonlyMap<string, Expression>): object {
  const settingNames = helper === "number" ? ["style", "currency", "digits"] : ["style", "timeZone"];
  const extra = [...pairs.keys()].find((name) => !settingNames.includes(name));
  if (extra !== undefined) throw new TemplateError(`{{${helper}}} takes no ${extra}=`, usages[helper]);
  const texts = new Map([...pairs].map(([name, value]) => [name, literal(helper, value)]));
  try {
    return helper === "number" ? numberOptions(texts) : dateOptions(helper, texts);
  } catch (error) {
    throw new TemplateError(`{{${helper}}} has invalid settings: ${(error as Error).message}`, usages[helper]);
  }
}

function numberOptions(texts: ReadonlyMap<string, string | number>): object {
  const [style, currency, digits] = ["style", "currency", "digits"].map((name) => texts.get(name));
  const options = {
    ...(style === undefined ? {} : { style }),
    ...(currency === undefined ? {} : { style: "currency", currency }),
    ...(digits === undefined ? {} : { minimumFractionDigits: digits, maximumFractionDigits: digits }),
  } as Intl.NumberFormatOptions;
  new Intl.NumberFormat("en", options).format(0);
  return options;
}

function dateOptions(helper: "date" | "time", texts: ReadonlyMap<string, string | number>): object {
  const style = texts.get("style") ?? (helper === "date" ? "medium" : "short");
  const options = {
    [helper === "date" ? "dateStyle" : "timeStyle"]: style,
    timeZone: String(texts.get("timeZone") ?? "UTC"),
  };
  new Intl.DateTimeFormat("en", options).format(0);
  return options;
}

function literal(helper: LocalHelper, value: Expression): string | number {
  if (value.type === "StringLiteral" || value.type === "NumberLiteral") return value.value as string | number;
  throw new TemplateError(`the settings of {{${helper}}} must be literals`, usages[helper]);
}
