import type { ESTree } from "rolldown/utils";
import { isWrapper } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";

/** Names of one module that lead to each other. */
const mostNames = 20;

/**
 * The `T` of `Entity<T>(name)`, also where it is given before the call: `const Orders = Entity<Order>` of the same module.
 * Undefined where none is written.
 */
export function typeArgumentOf(module: SourceModule, call: ESTree.CallExpression): ESTree.TSType | undefined {
  if (call.typeArguments) return call.typeArguments.params[0];
  let at: ESTree.Node | null | undefined = call.callee;
  for (let names = 0; at && names < mostNames;) {
    if (at.type === "TSInstantiationExpression") return at.typeArguments.params[0];
    if (isWrapper(at)) at = at.expression;
    else {
      at = at.type === "Identifier" ? valueOf(module, at.name) : undefined;
      names += 1;
    }
  }
  return undefined;
}

function valueOf(module: SourceModule, name: string): ESTree.Node | null | undefined {
  const binding = module.bindings.get(name);
  return binding?.kind === "variable" ? binding.node.init : undefined;
}
