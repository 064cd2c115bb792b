import { join } from "node:path";
import { type Diagnostic, fixableTypeErrors } from "../model/diagnostic.ts";
import type { RequestContext } from "./request-context.ts";
import { isObject } from "../lib/record-in.ts";
import { listIn, objectIn, rangeIn } from "./params.ts";
import type { Position, Range } from "./protocol.ts";
import { publishedDiagnostic } from "./published-diagnostics.ts";

const quickFix = "quickfix";

/** Returns the fixes of `fw check --fix` for the problems in a range. */
export async function codeActions(context: RequestContext, params: unknown): Promise<readonly object[]> {
  const { root, path, documents } = context;
  const selection = objectIn(params, "context");
  const { only } = selection;
  const includesQuickFixes = !Array.isArray(only) || only.some((kind) => kind === quickFix || kind === "");
  if (!includesQuickFixes) return [];
  const range = rangeIn(params);
  const problems = await problemsOf(context, listIn(selection, "diagnostics"));
  const inRange = problems.filter(
    ({ at }) => join(root, at.path) === path && touches(documents.locationOf(root, at).range, range),
  );
  return inRange.flatMap((diagnostic) => action(context, diagnostic) ?? []);
}

/**
 * Returns the problems that may have fixes. Runs TypeScript, which takes as long as a full check, only if `shown`
 * contains a type error that may have a fix.
 */
async function problemsOf(
  { contents, workspace }: RequestContext,
  shown: readonly unknown[],
): Promise<readonly Diagnostic[]> {
  return shown.some(isFixableTypeError)
    ? [...contents.diagnostics, ...(await workspace.types())]
    : contents.diagnostics;
}

const fixableCodes: ReadonlySet<string> = new Set(Object.values(fixableTypeErrors).map(String));

/** True for an error from TypeScript's own server (`7053`) or from fw (`ts7053`). */
function isFixableTypeError(shown: unknown): boolean {
  const code = isObject(shown) ? shown["code"] : undefined;
  return (typeof code === "number" || typeof code === "string") && fixableCodes.has(`${code}`.replace(/^ts/, ""));
}

function action({ root, documents }: RequestContext, diagnostic: Diagnostic): object | undefined {
  const { fix } = diagnostic;
  if (fix === undefined) return undefined;
  const changes: Record<string, object[]> = {};
  for (const { at, text } of fix.edits) {
    const { uri, range } = documents.locationOf(root, at);
    (changes[uri] ??= []).push({ range, newText: text });
  }
  return {
    title: fix.title,
    kind: quickFix,
    diagnostics: [publishedDiagnostic(root, documents, diagnostic)],
    isPreferred: true,
    edit: { changes },
  };
}

function touches(one: Range, other: Range): boolean {
  return !isBefore(one.end, other.start) && !isBefore(other.end, one.start);
}

function isBefore(one: Position, other: Position): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
