import type { ESTree } from "rolldown/utils";
import { cachedByObject } from "../../lib/cached-by-object.ts";
import { isFunction, keyOf } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import type { NameUse, NodePath } from "../symbols/table.ts";
import { usesOf } from "./names.ts";

/** The form of a time in code. A number may serve only to make a string unique or to measure a duration. */
export type TimeForm = "date" | "number" | "text";

/** `new Date()` or `Date.now()` inside a function. */
export interface ClockRead {
  readonly node: ESTree.Node;
  readonly around: NodePath;
  readonly form: TimeForm;
}

/** Finds each place where a module's functions read the machine's clock, in source order. */
export const clockReads: (module: SourceModule) => readonly ClockRead[] = cachedByObject((module) => {
  if (!/\bDate\b/.test(module.text) || module.bindings.has("Date") || module.imports.has("Date")) return [];
  return usesOf(module, undefined, "Date")
    .flatMap((use) => readAt(use) ?? [])
    .filter(({ around }) => functionAround(around) !== undefined)
    .toSorted((one, other) => one.node.start - other.node.start);
});

function readAt({ node, step }: NameUse): ClockRead | undefined {
  const outer = step.node;
  if (outer.type === "NewExpression" && outer.callee === node && outer.arguments.length === 0)
    return step.parent && { node: outer, around: step.parent, form: "date" };
  const call = step.parent;
  const isNow = outer.type === "MemberExpression" && outer.object === node && keyOf(outer) === "now";
  if (!isNow || call?.node.type !== "CallExpression" || call.node.callee !== outer) return undefined;
  return call.parent && { node: call.node, around: call.parent, form: "number" };
}

export function functionAround(around: NodePath): NodePath | undefined {
  let at: NodePath | undefined = around;
  while (at && !isFunction(at.node)) at = at.parent;
  return at;
}
