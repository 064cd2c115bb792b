import type { ESTree } from "rolldown/utils";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { grouped } from "../../lib/grouped.ts";
import type { SourceModule } from "../source/module.ts";
import { scopeOf, type LexicalScope } from "../symbols/scope.ts";
import { collectNames, type NameUse } from "../symbols/table.ts";

/** The names used in a module, by the scope that declares them. */
interface ModuleNames {
  /** The scope of each function's parameters. */
  readonly functions: ReadonlyMap<ESTree.Node, LexicalScope>;
  readonly local: ReadonlyMap<LexicalScope, readonly NameUse[]>;
  readonly topLevel: readonly NameUse[];
}

export const namesIn: (module: SourceModule) => ModuleNames = cachedByObject((module) => {
  const { uses, functions } = collectNames(module);
  const usesWithOwner = uses.map((use) => ({ use, owner: ownerOf(use) }));
  const local = new Map<LexicalScope, readonly NameUse[]>();
  for (const [owner, same] of grouped(usesWithOwner, (each) => each.owner))
    if (owner)
      local.set(
        owner,
        same.map(({ use }) => use),
      );
  return { functions, local, topLevel: usesWithOwner.flatMap(({ use, owner }) => (owner ? [] : [use])) };
});

function ownerOf({ node, scope }: NameUse): LexicalScope | undefined {
  return node.type === "Identifier" ? scopeOf(scope, node.name) : undefined;
}

/** Lists the uses of a name declared in the scope `owner`, by default of a top-level or global name. */
export function usesOf(module: SourceModule, owner: LexicalScope | undefined, name: string): readonly NameUse[] {
  const { local, topLevel } = namesIn(module);
  const all = owner === undefined ? topLevel : (local.get(owner) ?? []);
  return all.filter(({ node }) => node.type === "Identifier" && node.name === name);
}
