import { join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Asked } from "./asked.ts";
import { objectIn, rangeIn } from "./params.ts";
import type { Position, Range } from "./protocol.ts";
import { publishedDiagnostic } from "./published.ts";

const quickFix = "quickfix";

/** The fixes of what is wrong in a stretch, as `fw check --fix` writes them. */
export async function codeActions(asked: Asked, params: unknown): Promise<readonly object[]> {
  const { root, path, documents, contents } = asked;
  const { only } = objectIn(params, "context");
  const isWanted = !Array.isArray(only) || only.some((kind) => kind === quickFix || kind === "");
  const wanted = rangeIn(params, "range");
  const found = contents.diagnostics.filter(
    ({ at, fix }) =>
      fix !== undefined && join(root, at.path) === path && touches(documents.locationOf(root, at).range, wanted),
  );
  return isWanted ? found.flatMap((diagnostic) => action(asked, diagnostic) ?? []) : [];
}

function action({ root, documents }: Asked, diagnostic: Diagnostic): object | undefined {
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
