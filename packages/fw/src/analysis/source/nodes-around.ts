import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import type { SourceModule } from "./module.ts";
import { offsetOf } from "./position.ts";

/** Returns the nodes that contain a range, outermost first. */
export function nodesAround(module: SourceModule, at: Span): readonly ESTree.Node[] {
  const start = offsetOf(module, at);
  const end = offsetOf(module, { line: at.endLine, column: at.endColumn });
  const around: ESTree.Node[] = [];
  let next: ESTree.Node | undefined = module.program;
  while (next !== undefined) {
    around.push(next);
    next = childrenOf(next).find((child) => child.start <= start && end <= child.end);
  }
  return around;
}

/** Returns the direct children of a node in field order, without the fields in `skipped`. */
export function childrenOf(node: ESTree.Node, skipped?: ReadonlySet<string>): readonly ESTree.Node[] {
  const children: ESTree.Node[] = [];
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    if (skipped?.has(key)) continue;
    const value = fields[key];
    for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) children.push(each);
  }
  return children;
}

function isNode(value: unknown): value is ESTree.Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
