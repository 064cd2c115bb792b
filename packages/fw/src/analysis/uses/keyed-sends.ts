import type { ESTree } from "rolldown/utils";
import { keyOf, propertyName, unwrap } from "../source/expression.ts";
import { childrenOf } from "../source/nodes-around.ts";
import type { SourceModule } from "../source/module.ts";
import { typeKeys } from "../symbols/value-position.ts";

/** True if code may call `send` with the option `key`. Only a literal without the option rules it out. */
export function sendsWithKey(module: SourceModule, part: ESTree.Node): boolean {
  if (!module.text.includes("send")) return false;
  const waiting: ESTree.Node[] = [part];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node.type === "CallExpression" && mayHaveKey(node)) return true;
    for (const child of childrenOf(node, typeKeys)) waiting.push(child);
  }
  return false;
}

function mayHaveKey({ callee, arguments: values }: ESTree.CallExpression): boolean {
  const bare = unwrap(callee);
  if (bare.type === "MemberExpression" ? keyOf(bare) !== "send" : bare.type !== "Identifier") return false;
  if (bare.type === "Identifier" && bare.name !== "send") return false;
  const [, , options] = values;
  if (values.some(({ type }) => type === "SpreadElement")) return true;
  const literal = options && unwrap(options);
  if (literal === undefined) return false;
  if (literal.type !== "ObjectExpression") return true;
  return literal.properties.some((each) => {
    const name = each.type === "Property" ? propertyName(each) : undefined;
    return name === undefined || name === "key";
  });
}
