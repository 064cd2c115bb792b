import type { ESTree } from "rolldown/utils";
import { chainOf } from "../symbols/alias.ts";
import type { SourceModule } from "../source/module.ts";

/** Constructors and functions of the language that run no code of the application. */
const inert: ReadonlySet<string> = new Set([
  "Map",
  "Set",
  "WeakMap",
  "WeakSet",
  "Date",
  "RegExp",
  "URL",
  "Intl",
  "Symbol",
  "Object.freeze",
  "Object.keys",
  "Object.values",
  "Object.entries",
  "Object.fromEntries",
  "Object.create",
]);

/** True for a call that only creates a value, such as `new Map()` and `Object.freeze(…)`. */
export function isInert(
  module: SourceModule,
  node: ESTree.CallExpression | ESTree.NewExpression | ESTree.TaggedTemplateExpression,
): boolean {
  const chain = node.type === "TaggedTemplateExpression" ? undefined : chainOf(node.callee);
  if (chain?.root.type !== "Identifier") return false;
  const { name } = chain.root;
  if (module.bindings.has(name) || module.imports.has(name)) return false;
  return inert.has(name) || inert.has([name, ...chain.keys].join("."));
}
