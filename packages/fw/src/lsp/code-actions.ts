import { join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { RequestContext } from "./request-context.ts";
import { objectIn, rangeIn } from "./params.ts";
import type { Position, Range } from "./protocol.ts";
import { publishedDiagnostic } from "./published-diagnostics.ts";

const quickFix = "quickfix";

/** Returns the fixes of problems in a range, as `fw check --fix` applies them. */
export async function codeActions(context: RequestContext, params: unknown): Promise<readonly object[]> {
  const { root, path, documents, contents } = context;
  const { only } = objectIn(params, "context");
  const includesQuickFixes = !Array.isArray(only) || only.some((kind) => kind === quickFix || kind === "");
  const range = rangeIn(params, "range");
  const fixable = contents.diagnostics.filter(
    ({ at, fix }) =>
      fix !== undefined && join(root, at.path) === path && touches(documents.locationOf(root, at).range, range),
  );
  return includesQuickFixes ? fixable.flatMap((diagnostic) => action(context, diagnostic) ?? []) : [];
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
