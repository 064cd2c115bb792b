import { isObject } from "../../lib/record-in.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Message } from "../../lib/message-text.ts";
import { lineAndColumn } from "./parse.ts";
import { problemAt, type TemplateSource } from "./problem.ts";

/** The languages of a site, with the default first, and its messages by key and language. */
export interface Languages {
  readonly names: readonly string[];
  readonly messages: ReadonlyMap<string, Readonly<Record<string, Message>>>;
  readonly diagnostics: readonly Diagnostic[];
}

interface MessageFile {
  readonly file: TemplateSource;
  readonly language: string;
  /** Undefined for an unreadable file. */
  readonly messages: ReadonlyMap<string, Message> | undefined;
}

const categories: ReadonlySet<string> = new Set(["zero", "one", "two", "few", "many", "other"]);

/** True for a messages file such as `messages/de.json`. */
export function isMessageFile(name: string): boolean {
  return /^messages\/[^/]+\.json$/.test(name);
}

export function languageOf(name: string): string {
  return name.slice("messages/".length, -".json".length);
}

/** Reads the messages files, which must all have the same keys, and the same `{names}` in the messages of a key. */
export function readLanguages(sources: readonly TemplateSource[], preferred: string | undefined): Languages {
  const diagnostics: Diagnostic[] = [];
  const files = sources.filter(({ name }) => isMessageFile(name)).map((file) => readFile(file, diagnostics));
  const byKey = new Map<string, Record<string, Message>>();
  for (const { language, messages } of files)
    for (const [key, message] of messages ?? []) byKey.set(key, { ...byKey.get(key), [language]: message });
  for (const file of files) diagnostics.push(...differences(file, files, byKey));
  const names = files.map(({ language }) => language);
  const first = preferred ?? (names.includes("en") ? "en" : names[0]) ?? "en";
  return { names: [first, ...names.filter((name) => name !== first)], messages: byKey, diagnostics };
}

function readFile(file: TemplateSource, diagnostics: Diagnostic[]): MessageFile {
  const language = languageOf(file.name);
  const messages = new Map<string, Message>();
  const report = (key: string, message: string, hint: string): void => {
    diagnostics.push(problemAt(file, placeOf(file, key), message, hint));
  };
  if (!isLanguage(language))
    report(
      "",
      `${language} is not a language`,
      "name the file as the language is written in HTML: de.json, pt-BR.json",
    );
  try {
    const content: unknown = JSON.parse(file.source);
    if (isObject(content)) {
      collect(content, "", { messages, report });
      return { file, language, messages };
    }
    report("", "a file of messages must be an object", 'write { "cart": { "empty": "Your cart is empty" } }');
  } catch (error) {
    report(
      "",
      `this is not valid JSON: ${(error as Error).message}`,
      "a file of messages must be an object of strings",
    );
  }
  return { file, language, messages: undefined };
}

interface Collected {
  readonly messages: Map<string, Message>;
  readonly report: (key: string, message: string, hint: string) => void;
}

function collect(content: Readonly<Record<string, unknown>>, prefix: string, collected: Collected): void {
  for (const [name, value] of Object.entries(content)) {
    const key = prefix + name;
    if (typeof value === "string") collected.messages.set(key, value);
    else if (isPlural(value)) collected.messages.set(key, value);
    else if (isObject(value)) collect(value, `${key}.`, collected);
    else collected.report(key, `the message ${key} is not a string`, 'write a string, or { "one": "…", "other": "…" }');
  }
}

function isPlural(value: unknown): value is Readonly<Record<string, string>> {
  if (!isObject(value) || typeof value["other"] !== "string") return false;
  return Object.entries(value).every(([name, text]) => categories.has(name) && typeof text === "string");
}

/**
 * Reports keys that a file lacks, and placeholders that its messages lack but another language has. Ignores `count`.
 */
function differences(
  { file, language, messages }: MessageFile,
  files: readonly MessageFile[],
  byKey: ReadonlyMap<string, Readonly<Record<string, Message>>>,
): readonly Diagnostic[] {
  if (messages === undefined) return [];
  return [...byKey].flatMap(([key, translations]): Diagnostic[] => {
    const own = messages.get(key);
    const other = files.find((each) => each.language !== language && each.language in translations)?.language ?? "";
    if (own === undefined)
      return [
        problemAt(file, placeOf(file, ""), `${file.name} has no ${key}, which ${other}.json has`, "translate it"),
      ];
    const names = namesOf(translations);
    const missing = [...names].filter((name) => !namesIn(own).has(name) && name !== "count");
    if (missing.length === 0) return [];
    const message = `${key} does not contain {${missing[0]}}, which it contains in another language`;
    return [problemAt(file, placeOf(file, key), message, `add {${missing[0]}} to the text`)];
  });
}

/** Returns the names that a message needs in at least one language. */
export function namesOf(translations: Readonly<Record<string, Message>>): ReadonlySet<string> {
  return new Set(Object.values(translations).flatMap((message) => [...namesIn(message)]));
}

function namesIn(message: Message): ReadonlySet<string> {
  const texts = typeof message === "string" ? [message] : Object.values(message);
  const names = texts.flatMap((text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name));
  return new Set(typeof message === "string" ? names : ["count", ...names]);
}

/** Returns where a key's last name first occurs in the file; the start of the file for "" or if it does not occur. */
function placeOf({ source }: TemplateSource, key: string): { readonly line: number; readonly column: number } {
  const index = key === "" ? 0 : Math.max(0, source.indexOf(JSON.stringify(key.slice(key.lastIndexOf(".") + 1))));
  return lineAndColumn(source, index);
}

/** True for a language tag in canonical form, such as `de` or `pt-BR`. */
export function isLanguage(name: string): boolean {
  try {
    return Intl.getCanonicalLocales(name)[0] === name;
  } catch {
    return false;
  }
}
