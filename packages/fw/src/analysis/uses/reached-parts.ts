import type { Package } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { startsOf } from "./entries.ts";
import type { Graph } from "./graph.ts";

/**
 * Returns a predicate for parts of modules, by path and index: true if a handler of some packages can reach the part.
 */
export function reachedParts(graph: Graph, packages: readonly Package[]): (path: string, part: number) => boolean {
  const before = allOfKind(packages, "authenticator").map(({ declaration }) => declaration);
  const starts = packages.flatMap((pkg) => startsOf(graph, pkg, () => before));
  const visited = new Set(starts.flatMap(({ next }) => next));
  for (const node of visited) for (const next of graph.nodes[node]?.next ?? []) visited.add(next);
  return (path, part) => visited.has((graph.modules.get(path) ?? 0) + 2 + part);
}
