import { readFile } from "node:fs/promises";
import { relative, sep } from "node:path";
import type { Diagnostic as TypeScriptDiagnostic } from "typescript/unstable/async";
import { inSourceOrder, type Diagnostic, type Span } from "../../model/diagnostic.ts";
import { lineTable, spanOf } from "../source/position.ts";
import { markedKeyHint } from "./marked-key-hint.ts";

/** Diagnostics in source order, each once, with places and sentences of ours. */
export async function placeAll(root: string, found: readonly TypeScriptDiagnostic[]): Promise<readonly Diagnostic[]> {
  const files = new Set(found.map((each) => each.fileName).filter((name) => name !== undefined));
  const texts = new Map<string, string>();
  await Promise.all([...files].map(async (file) => texts.set(file, await textOf(file))));
  const placed = found.map((each) => place(root, each, texts));
  return placed.toSorted(compare).filter((each, index, all) => index === 0 || !isSame(each, all[index - 1]));
}

/** TypeScript counts from behind a byte order mark. */
async function textOf(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function place(root: string, found: TypeScriptDiagnostic, texts: ReadonlyMap<string, string>): Diagnostic {
  const at = spanIn(root, found, texts);
  const related = (found.relatedInformation ?? [])
    .filter((each) => each.fileName !== undefined && texts.has(each.fileName))
    .map((each) => ({ at: spanIn(root, each, texts), message: withoutStop(each.text) }));
  const text = withoutStop(chainText(found));
  const rule = brokenRule(text);
  const hint = found.code === 7053 ? markedKeyHint(text, sourceOf(found, texts)) : undefined;
  return {
    code: rule?.code ?? `ts${found.code}`,
    at,
    message: rule?.message ?? text,
    ...(hint !== undefined && { hint }),
    ...(related.length > 0 ? { related } : {}),
  };
}

/** A rule that a type of fw's tells: its sentence is in the name of the type. */
function brokenRule(text: string): { readonly code: string; readonly message: string } | undefined {
  const [, code, message] = /\bRefused<["`](fw\/[a-z-]+): (.+?)["`]>/.exec(text) ?? [];
  return code !== undefined && message !== undefined ? { code, message } : undefined;
}

/** The headline and the innermost reason: what is between them repeats types at length. */
function chainText(found: TypeScriptDiagnostic): string {
  let last: TypeScriptDiagnostic = found;
  for (let next = last.messageChain?.[0]; next; next = last.messageChain?.[0]) last = next;
  return last === found ? found.text : `${withoutStop(found.text)}: ${last.text}`;
}

/** The source text that a diagnostic marks. */
function sourceOf(found: TypeScriptDiagnostic, texts: ReadonlyMap<string, string>): string {
  return (found.fileName === undefined ? "" : (texts.get(found.fileName) ?? "")).slice(found.pos, found.end);
}

function withoutStop(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text;
}

function spanIn(root: string, found: TypeScriptDiagnostic, texts: ReadonlyMap<string, string>): Span {
  const text = found.fileName === undefined ? "" : (texts.get(found.fileName) ?? "");
  const path = found.fileName === undefined ? "tsconfig.json" : relative(root, found.fileName).split(sep).join("/");
  return spanOf({ path, text, lines: lineTable(text) }, { start: found.pos, end: found.end });
}

function compare(a: Diagnostic, b: Diagnostic): number {
  return inSourceOrder(a.at, b.at) || a.code.localeCompare(b.code);
}

function isSame(a: Diagnostic, b: Diagnostic | undefined): boolean {
  return b !== undefined && a.message === b.message && compare(a, b) === 0;
}
