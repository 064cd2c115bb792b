import { readFile } from "node:fs/promises";
import type { Diagnostic as TypeScriptDiagnostic } from "typescript/unstable/async";
import { relativePath } from "../../lib/relative-path.ts";
import { inSourceOrder, type Diagnostic, type Span } from "../../model/diagnostic.ts";
import { lineTable, spanOf } from "../source/position.ts";
import { markedKeyHint } from "./marked-key-hint.ts";

/**
 * Converts TypeScript's diagnostics: in source order, without duplicates, with fw's locations and messages. `hints` has
 * those that needed TypeScript.
 */
export async function toDiagnostics(
  root: string,
  errors: readonly TypeScriptDiagnostic[],
  hints: ReadonlyMap<TypeScriptDiagnostic, string>,
): Promise<readonly Diagnostic[]> {
  const files = new Set(errors.map((each) => each.fileName).filter((name) => name !== undefined));
  const texts = new Map<string, string>();
  await Promise.all([...files].map(async (file) => texts.set(file, await textOf(file))));
  const diagnostics = errors.map((each) => toDiagnostic(root, each, texts, hints.get(each)));
  return diagnostics.toSorted(compare).filter((each, index, all) => index === 0 || !isSame(each, all[index - 1]));
}

/** TypeScript counts offsets after a byte order mark. */
async function textOf(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function toDiagnostic(
  root: string,
  error: TypeScriptDiagnostic,
  texts: ReadonlyMap<string, string>,
  askedHint: string | undefined,
): Diagnostic {
  const at = spanIn(root, error, texts);
  const related = (error.relatedInformation ?? [])
    .filter((each) => each.fileName !== undefined && texts.has(each.fileName))
    .map((each) => ({ at: spanIn(root, each, texts), message: withoutStop(each.text) }));
  const text = withoutStop(chainText(error));
  const rule = ruleViolation(text);
  const hint = error.code === 7053 ? markedKeyHint(text, sourceOf(error, texts)) : askedHint;
  return {
    code: rule?.code ?? `ts${error.code}`,
    at,
    message: rule?.message ?? text,
    ...(hint !== undefined && { hint }),
    ...(related.length > 0 ? { related } : {}),
  };
}

/** Recognizes a rule that a type of fw enforces: the name of the type has the rule's message. */
function ruleViolation(text: string): { readonly code: string; readonly message: string } | undefined {
  const [, code, message] = /\bRefused<["`](fw\/[a-z-]+): (.+?)["`]>/.exec(text) ?? [];
  return code !== undefined && message !== undefined ? { code, message } : undefined;
}

/** Keeps the first and the innermost message of a chain; those between repeat long types. */
function chainText(error: TypeScriptDiagnostic): string {
  let last: TypeScriptDiagnostic = error;
  for (let next = last.messageChain?.[0]; next; next = last.messageChain?.[0]) last = next;
  return last === error ? error.text : `${withoutStop(error.text)}: ${last.text}`;
}

/** The source text that a diagnostic marks. */
function sourceOf(error: TypeScriptDiagnostic, texts: ReadonlyMap<string, string>): string {
  return (error.fileName === undefined ? "" : (texts.get(error.fileName) ?? "")).slice(error.pos, error.end);
}

function withoutStop(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

function spanIn(root: string, error: TypeScriptDiagnostic, texts: ReadonlyMap<string, string>): Span {
  const text = error.fileName === undefined ? "" : (texts.get(error.fileName) ?? "");
  const path = error.fileName === undefined ? "tsconfig.json" : relativePath(root, error.fileName);
  return spanOf({ path, text, lines: lineTable(text) }, { start: error.pos, end: error.end });
}

function compare(a: Diagnostic, b: Diagnostic): number {
  return inSourceOrder(a.at, b.at) || a.code.localeCompare(b.code);
}

function isSame(a: Diagnostic, b: Diagnostic | undefined): boolean {
  return b !== undefined && a.message === b.message && compare(a, b) === 0;
}
