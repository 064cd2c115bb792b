import type { ESTree } from "rolldown/utils";
import type { SourceModule } from "../source/module.ts";
import { accessOf, isLocalAlias, isPassedBy } from "../symbols/access.ts";
import type { LexicalScope } from "../symbols/scope.ts";
import { symbolsOf, type Reference as SymbolReference } from "../symbols/table.ts";
import { chainOf } from "../symbols/alias.ts";

/** Built-in constructors and functions that run no application code. */
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

/** A use of a top-level name or of a module that is imported at run time. */
export interface PartReference {
  /** The name, or the specifier of an `import()`. */
  readonly root: string | ESTree.Expression;
  /** The constant member names read from it: `users` and `grant`. */
  readonly keys: readonly string[];
  /** The whole expression: `auth.users.grant`. */
  readonly node: ESTree.Node;
  readonly isCalled: boolean;
  /** The call that receives the reference as an argument, with its scope. */
  readonly passedTo?: { readonly call: ESTree.CallExpression; readonly scope: LexicalScope | undefined };
}

export interface References {
  readonly references: readonly PartReference[];
  /** The specifiers of the `import()` expressions. */
  readonly loads: readonly ESTree.Expression[];
  /** Calls that run when the module loads, except inert ones. */
  readonly calls: readonly ESTree.Node[];
}

export function referencesOf(module: SourceModule, { start, end }: ESTree.Node): References {
  const isInside = (node: ESTree.Span): boolean => start <= node.start && node.end <= end;
  const { references, loads, calls } = symbolsOf(module);
  return {
    references: referencesBetween(references, start, end).flatMap(partReference),
    loads: loads.filter(isInside).map(({ source }) => source),
    calls: calls.filter((node) => isInside(node) && !isInert(module, node)),
  };
}

function referencesBetween(
  references: readonly SymbolReference[],
  start: number,
  end: number,
): readonly SymbolReference[] {
  const first = firstFrom(references, start);
  return references.slice(first, firstFrom(references, end, first));
}

/** Returns the index of the first reference at or after an offset. */
function firstFrom(references: readonly SymbolReference[], offset: number, from = 0): number {
  let [low, high] = [from, references.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((references[middle]?.node.start ?? offset) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function partReference(reference: SymbolReference): PartReference | readonly [] {
  const access = accessOf(reference);
  if (isPassedBy(access) || isLocalAlias(reference, access)) return [];
  const { keys, node, isCalled, around } = access;
  const call = !isCalled && around.node.type === "CallExpression" ? around.node : undefined;
  return {
    root: reference.root,
    keys: [...reference.path, ...keys],
    node,
    isCalled,
    ...(call && { passedTo: { call, scope: around.scope } }),
  };
}

/** True for a call that only creates a value, such as `new Map()` and `Object.freeze(…)`. */
function isInert(
  module: SourceModule,
  node: ESTree.CallExpression | ESTree.NewExpression | ESTree.TaggedTemplateExpression,
): boolean {
  const chain = node.type === "TaggedTemplateExpression" ? undefined : chainOf(node.callee);
  if (chain?.root.type !== "Identifier") return false;
  const { name } = chain.root;
  if (module.bindings.has(name) || module.imports.has(name)) return false;
  return inert.has(name) || inert.has([name, ...chain.keys].join("."));
}
