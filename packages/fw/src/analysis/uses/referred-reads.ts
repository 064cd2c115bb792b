import type { ESTree } from "rolldown/utils";
import type { Span } from "../../model/diagnostic.ts";
import { keyOf, propertyName, unwrap } from "../source/expression.ts";
import { childrenOf } from "../source/nodes-around.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import { typeKeys } from "../symbols/value-position.ts";

/** Finds code that may call `with` on a query or use the option `with` of a read. */
export function referredReadIn(module: SourceModule, part: ESTree.Node): Span | undefined {
  if (!/\bwith\b/.test(module.text.slice(part.start, part.end))) return undefined;
  const waiting: ESTree.Node[] = [part];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (isCall(node) || (node.type === "Property" && propertyName(node) === "with")) return spanOf(module, node);
    for (const child of childrenOf(node, typeKeys)) waiting.push(child);
  }
  return undefined;
}

function isCall(node: ESTree.Node): boolean {
  const callee = node.type === "CallExpression" ? unwrap(node.callee) : undefined;
  return callee?.type === "MemberExpression" && keyOf(callee) === "with";
}
