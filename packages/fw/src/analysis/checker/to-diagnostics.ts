import { readFile } from "node:fs/promises";
import type { Diagnostic as TypeScriptDiagnostic } from "typescript/unstable/async";
import { relativePath } from "../../lib/relative-path.ts";
import { inSourceOrder, type Diagnostic, type Span } from "../../model/diagnostic.ts";
import { lineTable, spanOf } from "../source/position.ts";
import { errorMessage, withoutStop } from "./error-message.ts";
import type { Remedy } from "./source-fix.ts";

/**
 * Converts TypeScript's diagnostics: in source order, without duplicates, with fw's locations and messages.
 */
export async function toDiagnostics(
  root: string,
  errors: readonly TypeScriptDiagnostic[],
  remedies: ReadonlyMap<TypeScriptDiagnostic, Remedy>,
): Promise<readonly Diagnostic[]> {
  const files = new Set(errors.map((each) => each.fileName).filter((name) => name !== undefined));
  const texts = new Map<string, string>();
  await Promise.all([...files].map(async (file) => texts.set(file, await textOf(file))));
  const diagnostics = errors.map((each) => toDiagnostic(root, each, texts, remedies.get(each)));
  return diagnostics.toSorted(compare).filter((each, index, all) => index === 0 || !isSame(each, all[index - 1]));
}

/** Reads a file without its byte order mark, which TypeScript's offsets do not count. */
async function textOf(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}

function toDiagnostic(
  root: string,
  error: TypeScriptDiagnostic,
  texts: ReadonlyMap<string, string>,
  remedy: Remedy | undefined,
): Diagnostic {
  const at = spanIn(root, error, texts);
  const related = (error.relatedInformation ?? [])
    .filter((each) => each.fileName !== undefined && texts.has(each.fileName))
    .map((each) => ({ at: spanIn(root, each, texts), message: withoutStop(each.text) }));
  const text = errorMessage(error);
  const rule = ruleViolation(text);
  const edits = remedy?.fix?.edits.map(({ text: replacement, ...range }) => ({
    at: spanIn(root, { fileName: error.fileName, ...range }, texts),
    text: replacement,
  }));
  return {
    code: rule?.code ?? `ts${error.code}`,
    at,
    message: rule?.message ?? text,
    ...(remedy && { hint: remedy.hint }),
    ...(remedy?.fix && edits && { fix: { title: remedy.fix.title, edits } }),
    ...(related.length > 0 ? { related } : {}),
  };
}

/** Returns the rule that an error's type enforces, if any: the type's name contains the rule's message. */
function ruleViolation(text: string): { readonly code: string; readonly message: string } | undefined {
  const [, code, message] = /\bRefused<["`](fw\/[a-z-]+): (.+?)["`]>/.exec(text) ?? [];
  return code !== undefined && message !== undefined ? { code, message } : undefined;
}

function spanIn(
  root: string,
  error: Pick<TypeScriptDiagnostic, "fileName" | "pos" | "end">,
  texts: ReadonlyMap<string, string>,
): Span {
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
