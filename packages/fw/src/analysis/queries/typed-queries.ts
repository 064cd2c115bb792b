import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Checker } from "../checker/checker.ts";
import { queryEscape, queryEscapes } from "../rules/entities/query-escapes.ts";
import { questionOf } from "../schema/type-reading.ts";
import type { SourceNode } from "../source/module.ts";
import { unfollowedAt } from "./index.ts";

/**
 * Reports the calls of `query` on unknown objects that start a query, according to TypeScript: fw cannot follow their
 * entities.
 */
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
