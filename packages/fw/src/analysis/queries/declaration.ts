import type { ESTree } from "rolldown/utils";
import { isFunction, unwrap } from "../source/expression.ts";
import { patternNames } from "../source/names.ts";
import { chainOf, keysTo } from "../symbols/alias.ts";
import { isNothing } from "./branch.ts";

import { outsideMember } from "./lookup.ts";
import { standAlone } from "./function.ts";
import { unknown, type Value } from "./value.ts";
import type { Frame } from "./frame.ts";

export function declare(node: ESTree.VariableDeclaration, frame: Frame): void {
  for (const { id, init } of node.declarations) {
    if (!init) {
      if (id.type === "Identifier") frame.assign(id.name, undefined);
      continue;
    }
    const bare = unwrap(init);
    const value = isFunction(bare) ? frame.functionValue(bare) : frame.value(init);
    if (isFunction(bare)) standAlone(bare, frame);
    if (id.type !== "Identifier") takeApart(value, { id, init }, frame);
    else if (frame.scope === undefined) topLevel(value, node.kind, init, frame);
    else {
      const variable = frame.find(id.name);
      if (variable && node.kind === "const") variable.init = init;
      if (variable) frame.state.set(variable, value ?? (isNothing(init) ? undefined : unknown));
    }
  }
}

/** The entities that are taken out of a namespace or a literal; a query is not taken apart, nor is an entity. */
function takeApart(value: Value, { id, init }: Taken, frame: Frame): void {
  frame.lost(value, init, "is taken apart");
  const chain = chainOf(init);
  const isOutside = chain?.root.type === "Identifier" && !frame.find(chain.root.name);
  for (const name of patternNames(id)) {
    const keys = keysTo(id, name);
    if (value?.kind === "entity" && (keys?.[0] ?? "query") === "query")
      frame.entityEscapes(id, "begins with a function that is taken off its entity");
    const taken =
      isOutside && keys ? outsideMember({ root: chain.root, keys: [...chain.keys, ...keys] }, frame) : undefined;
    if (frame.scope) frame.assign(name, taken);
  }
}

interface Taken {
  readonly id: ESTree.Node;
  readonly init: ESTree.Node;
}

function topLevel(value: Value, kind: string, init: ESTree.Node, frame: Frame): void {
  if (kind !== "const") frame.lost(value, init, "is held in a variable of the module that can change");
}
