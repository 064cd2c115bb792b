import { keyOf, unwrap } from "../source/expression.ts";
import type { ESTree } from "rolldown/utils";
import type { SourceModule } from "../source/module.ts";

/** Functions of the language that change nothing of what they are given, and give nothing of it on. */
const readers: ReadonlySet<string | undefined> = new Set([
  "Object.keys",
  "Object.hasOwn",
  "JSON.stringify",
  "Array.isArray",
  "structuredClone",
  "String",
  "Boolean",
  "console.log",
  "console.info",
  "console.warn",
  "console.error",
  "console.debug",
]);

/** Those that give on what their argument holds: literals inside of a literal. */
const openers: ReadonlySet<string | undefined> = new Set([
  "Object.values",
  "Object.entries",
  "Object.freeze",
  "Object.fromEntries",
  "Array.from",
  "Set",
  "Map",
]);

/** Methods that answer whether or where something is, and change nothing. */
export const asking: ReadonlySet<string | undefined> = new Set([
  "includes",
  "indexOf",
  "lastIndexOf",
  "join",
  "keys",
  "has",
  "toString",
]);

/** Methods that change nothing of an array, a map or a set, and give nothing of it on but to functions that they call. */
export const visiting: ReadonlySet<string | undefined> = new Set([
  "forEach",
  "map",
  "flatMap",
  "some",
  "every",
  "findIndex",
  "reduce",
]);

/** Methods that change an array, a map or a set. */
export const mutating: ReadonlySet<string | undefined> = new Set([
  "push",
  "pop",
  "shift",
  "unshift",
  "splice",
  "sort",
  "reverse",
  "fill",
  "copyWithin",
  "set",
  "add",
  "delete",
  "clear",
]);

export function isReader(module: SourceModule, callee: ESTree.Node): boolean {
  return readers.has(globalName(module, unwrap(callee)));
}

export function isOpener(module: SourceModule, callee: ESTree.Node): boolean {
  return openers.has(globalName(module, unwrap(callee)));
}

/** `Object.keys` and its like, where no name of the module hides them. */
export function globalName(module: SourceModule, callee: ESTree.Node): string | undefined {
  const object = callee.type === "MemberExpression" ? unwrap(callee.object) : callee;
  if (object.type !== "Identifier" || module.bindings.has(object.name) || module.imports.has(object.name))
    return undefined;
  return callee.type === "MemberExpression" ? `${object.name}.${keyOf(callee) ?? ""}` : object.name;
}
