import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Checker } from "../checker/checker.ts";
import { queryEscape, queryEscapes } from "../rules/entities/query-escapes.ts";
import { questionOf } from "../schema/type-reading.ts";
import type { SourceNode } from "../source/module.ts";
import { unfollowedAt } from "./index.ts";

/** Asks TypeScript which calls of `query` on unknown objects start a query, whose entity fw cannot follow. */
export async function typedQueries(
  checker: Checker,
  unclear: readonly SourceNode[],
  signal: AbortSignal | undefined,
): Promise<readonly Diagnostic[]> {
  if (unclear.length === 0 || signal?.aborted) return [];
  const names = await checker.declarationsAt(unclear.map(({ module, node }) => questionOf(module, node)));
  return unclear.flatMap((place, index) =>
    names[index] === "EntityQuery" ? [{ code: `fw/${queryEscapes.id}`, ...queryEscape(unfollowedAt(place)) }] : [],
  );
}
