import type { ESTree } from "rolldown/utils";
import { isFunction, unwrap } from "../source/expression.ts";
import { patternNames } from "../source/names.ts";
import { chainOf, keysTo } from "../symbols/alias.ts";
import { isNothing } from "./branch.ts";
import { entityEscapes, lost } from "./escape.ts";
import { outsideMember } from "./lookup.ts";
import { assign, functionValue } from "./frame.ts";
import { standAlone } from "./function.ts";
import type { Run } from "./run.ts";
import { find, unknown, type Frame, type Value } from "./value.ts";

export function declare(run: Run, node: ESTree.VariableDeclaration, frame: Frame): void {
  for (const { id, init } of node.declarations) {
    if (!init) {
      if (id.type === "Identifier") assign(id.name, undefined, frame);
      continue;
    }
    const bare = unwrap(init);
    const value = isFunction(bare) ? functionValue(bare, frame) : run.value(init, frame);
    if (isFunction(bare)) standAlone(run, bare, frame);
    if (id.type !== "Identifier") takeApart(run, value, { id, init }, frame);
    else if (frame.scope === undefined) topLevel(run, value, node.kind, init, frame);
    else {
      const variable = find(frame.scope, id.name);
      if (variable && node.kind === "const") variable.init = init;
      if (variable) frame.state.set(variable, value ?? (isNothing(init) ? undefined : unknown));
    }
  }
}

/** The entities that are taken out of a namespace or a literal; a query is not taken apart, nor is an entity. */
function takeApart(run: Run, value: Value, { id, init }: Taken, frame: Frame): void {
  lost(run, value, init, frame, "is taken apart");
  const chain = chainOf(init);
  const isOutside = chain?.root.type === "Identifier" && !find(frame.scope, chain.root.name);
  for (const name of patternNames(id)) {
    const keys = keysTo(id, name);
    if (value?.kind === "entity" && (keys?.[0] ?? "query") === "query")
      entityEscapes(run, id, frame, "begins with a function that is taken off its entity");
    const taken =
      isOutside && keys ? outsideMember(run, { root: chain.root, keys: [...chain.keys, ...keys] }, frame) : undefined;
    if (frame.scope) assign(name, taken, frame);
  }
}

interface Taken {
  readonly id: ESTree.Node;
  readonly init: ESTree.Node;
}

function topLevel(run: Run, value: Value, kind: string, init: ESTree.Node, frame: Frame): void {
  if (kind !== "const") lost(run, value, init, frame, "is held in a variable of the module that can change");
}
