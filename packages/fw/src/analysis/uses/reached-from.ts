import type { Package } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { startsOf } from "./entries.ts";
import type { Graph } from "./graph.ts";

/** True if a handler of some packages can reach a part of a module. */
export function reachedFrom(graph: Graph, packages: readonly Package[], path: string, part: number): boolean {
  const target = (graph.modules.get(path) ?? 0) + 2 + part;
  const before = allOfKind(packages, "authenticator").map(({ declaration }) => declaration);
  const starts = packages.flatMap((pkg) => startsOf(graph, pkg, () => before));
  const visited = new Set(starts.flatMap(({ next }) => next));
  for (const node of visited) {
    if (node === target) return true;
    for (const next of graph.nodes[node]?.next ?? []) visited.add(next);
  }
  return false;
}
