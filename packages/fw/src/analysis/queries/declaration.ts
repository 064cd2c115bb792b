import type { ESTree } from "rolldown/utils";
import { isFunction, unwrap } from "../source/expression.ts";
import { lost } from "./escape.ts";
import { assign, functionValue } from "./frame.ts";
import { standAlone } from "./function.ts";
import type { Run } from "./run.ts";
import { find, type Frame, type Value } from "./value.ts";

export function declare(run: Run, node: ESTree.VariableDeclaration, frame: Frame): void {
  for (const { id, init } of node.declarations) {
    if (!init) {
      if (id.type === "Identifier") assign(id.name, undefined, frame);
      continue;
    }
    const bare = unwrap(init);
    const value = isFunction(bare) ? functionValue(bare, frame) : run.value(init, frame);
    if (isFunction(bare)) standAlone(run, bare, frame);
    if (id.type !== "Identifier") lost(run, value, init, frame, "is taken apart");
    else if (frame.scope === undefined) topLevel(run, value, node.kind, init, frame);
    else {
      const variable = find(frame.scope, id.name);
      if (variable && node.kind === "const") variable.init = init;
      if (variable) frame.state.set(variable, value);
    }
  }
}

function topLevel(run: Run, value: Value, kind: string, init: ESTree.Node, frame: Frame): void {
  if (kind !== "const") lost(run, value, init, frame, "is held in a variable of the module that can change");
}
