import type { ESTree } from "rolldown/utils";
import type { SourceModule } from "../source/module.ts";
import { accessOf, isLocalAlias, isPassedBy } from "../symbols/access.ts";
import type { LexicalScope } from "../symbols/scope.ts";
import { symbolsOf, type Reference as Named } from "../symbols/table.ts";
import { isInert } from "./inert.ts";

/** A place that names something of the module's top level, or of a module that is imported there. */
export interface Reference {
  /** The name; or the specifier of an `import()`. */
  readonly root: string | ESTree.Expression;
  /** The members read of it, as far as they are constants: `users` and `grant`. */
  readonly keys: readonly string[];
  /** All of it: `auth.users.grant`. */
  readonly node: ESTree.Node;
  /** True where it is called. */
  readonly called: boolean;
  /** The call that gets it as an argument, with the scope around that. */
  readonly given?: { readonly call: ESTree.CallExpression; readonly scope: LexicalScope | undefined };
}

/** What some code refers to. */
export interface References {
  readonly references: readonly Reference[];
  /** The specifiers of its `import()`s. */
  readonly loads: readonly ESTree.Expression[];
  /** What is called when the module is loaded, but for what does nothing by itself. */
  readonly calls: readonly ESTree.Node[];
}

/** What a part of the top level refers to. */
export function referencesOf(module: SourceModule, { start, end }: ESTree.Node): References {
  const isInside = (node: ESTree.Span): boolean => start <= node.start && node.end <= end;
  const { references, loads, calls } = symbolsOf(module);
  return {
    references: inside(references, start, end).flatMap(used),
    loads: loads.filter(isInside).map(({ source }) => source),
    calls: calls.filter((node) => isInside(node) && !isInert(module, node)),
  };
}

function inside(references: readonly Named[], start: number, end: number): readonly Named[] {
  const first = firstFrom(references, start);
  return references.slice(first, firstFrom(references, end, first));
}

/** The index of the first that begins at an offset or behind it. */
function firstFrom(references: readonly Named[], offset: number, from = 0): number {
  let [low, high] = [from, references.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((references[middle]?.node.start ?? offset) < offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function used(reference: Named): Reference | readonly [] {
  const access = accessOf(reference);
  if (isPassedBy(access) || isLocalAlias(reference, access)) return [];
  const { keys, node, isCalled: called, around } = access;
  const call = !called && around.node.type === "CallExpression" ? around.node : undefined;
  return {
    root: reference.root,
    keys: [...reference.path, ...keys],
    node,
    called,
    ...(call && { given: { call, scope: around.scope } }),
  };
}
