import type { Package } from "../../model/app.ts";
import { startsOf } from "./entries.ts";
import type { Graph } from "./graph.ts";

/** True when a handler of some packages can reach a part of a module. */
export function reachedFrom(graph: Graph, packages: readonly Package[], path: string, part: number): boolean {
  const wanted = (graph.modules.get(path) ?? 0) + 2 + part;
  const seen = new Set(packages.flatMap((each) => startsOf(graph, each)).flatMap(({ next }) => next));
  for (const node of seen) {
    if (node === wanted) return true;
    for (const next of graph.nodes[node]?.next ?? []) seen.add(next);
  }
  return false;
}
