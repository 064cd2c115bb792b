import type { ESTree } from "rolldown/utils";
import { isFunction, unwrap } from "../source/expression.ts";
import { patternNames } from "../source/names.ts";
import { chainOf, keysTo } from "../symbols/alias.ts";
import { isNothing } from "./branch.ts";

import { topLevelMember } from "./lookup.ts";
import { runStandalone } from "./function.ts";
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
    if (isFunction(bare)) runStandalone(bare, frame);
    if (id.type !== "Identifier") runPattern(value, { id, init }, frame);
    else if (frame.scope === undefined) checkModuleVariable(value, node.kind, init, frame);
    else {
      const variable = frame.find(id.name);
      if (variable && node.kind === "const") variable.init = init;
      if (variable) frame.state.set(variable, value ?? (isNothing(init) ? undefined : unknown));
    }
  }
}

/**
 * Binds the entities that a pattern destructures from a namespace or a literal. Queries and entities cannot be
 * destructured.
 */
function runPattern(value: Value, { id, init }: PatternDeclaration, frame: Frame): void {
  frame.reportEscape(value, init, "is destructured");
  const chain = chainOf(init);
  const isOutside = chain?.root.type === "Identifier" && !frame.find(chain.root.name);
  for (const name of patternNames(id)) {
    const keys = keysTo(id, name);
    if (value?.kind === "entity" && (keys?.[0] ?? "query") === "query")
      frame.reportEntityEscape(id, "begins with a method that is detached from its entity");
    const taken =
      isOutside && keys ? topLevelMember({ root: chain.root, keys: [...chain.keys, ...keys] }, frame) : undefined;
    if (frame.scope) frame.assign(name, taken);
  }
}

interface PatternDeclaration {
  readonly id: ESTree.Node;
  readonly init: ESTree.Node;
}

function checkModuleVariable(value: Value, kind: string, init: ESTree.Node, frame: Frame): void {
  if (kind !== "const") frame.reportEscape(value, init, "is in a module variable that can change");
}
