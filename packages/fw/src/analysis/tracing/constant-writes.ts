import type { ESTree } from "rolldown/utils";
import { grouped } from "../../lib/grouped.ts";
import type { Span } from "../../model/diagnostic.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import type { Finding } from "../rule.ts";
import { isWrapper, keyOf, quote, unwrapFrozen } from "../source/expression.ts";
import type { SourceNode, SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { accessOf, isAssigned } from "../symbols/access.ts";
import { chainOf } from "../symbols/alias.ts";
import { symbolsOf, type Reference, type NodePath } from "../symbols/table.ts";

/** Code that writes to a member of a literal held by a constant. */
export interface ConstantWrite {
  readonly at: Span;
  readonly text: string;
  readonly literal: SourceNode;
}

/** A literal whose members a declaration or a query reads as constants. */
export interface ConstantRead {
  readonly literal: SourceNode;
  readonly at: Span;
}

/**
 * Reports writes to literals that fw reads as constants. Writes inside functions that receive the literal are found at
 * load time, when each declaration's record is compared with the source (`runtime/check-settings.ts`).
 */
export function reportConstantWrites(
  writes: readonly ConstantWrite[],
  reads: readonly ConstantRead[],
): readonly Finding[] {
  const byModule = grouped(writes.length === 0 ? [] : reads, ({ literal }) => literal.module.path);
  return writes.flatMap(({ at, text, literal }) => {
    const reader = byModule.get(literal.module.path)?.find((read) => overlap(read.literal.node, literal.node));
    if (!reader) return [];
    return [
      {
        at,
        message: `${text} is changed here, but fw reads only its initial value`,
        hint: "end the literal with `as const`, or give the declaration a constant that nothing changes",
        related: [{ at: reader.at, message: "fw reads the initial value here" }],
      },
    ];
  });
}

function overlap(one: ESTree.Span, other: ESTree.Span): boolean {
  return (one.start <= other.start && other.end <= one.end) || (other.start <= one.start && one.end <= other.end);
}

/** Finds assignments, deletions and mutating calls in a module that change a literal held by a constant. */
export function constantWrites(project: Project, module: SourceModule): readonly ConstantWrite[] {
  return symbolsOf(module).references.flatMap((reference) => constantWriteAt(project, module, reference) ?? []);
}

function constantWriteAt(project: Project, module: SourceModule, reference: Reference): ConstantWrite | undefined {
  const { root, path, step } = reference;
  if (typeof root !== "string") return undefined;
  // Fast path for a direct call, which many references are.
  if (step.node.type === "CallExpression" && step.node.callee === reference.node) return undefined;
  const { keys: members, node, around } = accessOf(reference);
  const keys = [...path, ...members];
  const target = writtenKeys(module, node, around, keys);
  if (!target) return undefined;
  const literal = literalAt(project, module, root, target);
  if (!literal || (isMutatingCall(around, node) && literal.node.type !== "ArrayExpression")) return undefined;
  return { at: spanOf(module, node), text: quote(module, node), literal };
}

/** Returns the members that lead from the root to the modified object; undefined for a read. */
function writtenKeys(
  module: SourceModule,
  node: ESTree.Node,
  around: NodePath,
  keys: readonly string[],
): readonly string[] | undefined {
  const object = keys.length > 0 ? keys.slice(0, -1) : undefined;
  if (isAssigned({ node, step: around })) return object;
  const outer = around.node;
  switch (outer.type) {
    case "MemberExpression":
      return isComputedWrite(around) ? keys : undefined;
    case "UnaryExpression":
      return outer.operator === "delete" ? object : undefined;
    case "CallExpression":
      if (outer.callee === node) return mutatingMethods.has(keys.at(-1)) ? object : undefined;
      return isAssignCall(module, outer.callee) && outer.arguments[0] === node ? keys : undefined;
    default:
      return undefined;
  }
}

function isMutatingCall({ node: outer }: NodePath, node: ESTree.Node): boolean {
  return outer.type === "CallExpression" && outer.callee === node;
}

/** True if a member with a computed name, or a value inside it, is assigned to, deleted or mutated by a method. */
function isComputedWrite(member: NodePath): boolean {
  let at = member;
  while (at.parent && (isWrapper(at.parent.node) || at.parent.node.type === "MemberExpression")) at = at.parent;
  const { node, parent } = at;
  if (!parent) return false;
  const outer = parent.node;
  if (outer.type === "CallExpression")
    return outer.callee === node && node.type === "MemberExpression" && mutatingMethods.has(keyOf(node));
  return isAssigned({ node, step: parent }) || (outer.type === "UnaryExpression" && outer.operator === "delete");
}

/** Methods that change an array in place. */
const mutatingMethods: ReadonlySet<string | undefined> = new Set([
  "push",
  "pop",
  "shift",
  "unshift",
  "splice",
  "sort",
  "reverse",
  "fill",
  "copyWithin",
]);

const assigningFunctions: ReadonlySet<string> = new Set([
  "Object.assign",
  "Object.defineProperty",
  "Object.defineProperties",
  "Reflect.set",
]);

function isAssignCall(module: SourceModule, callee: ESTree.Node): boolean {
  const { root, keys } = chainOf(callee) ?? {};
  if (root?.type !== "Identifier" || module.bindings.has(root.name) || module.imports.has(root.name)) return false;
  return assigningFunctions.has([root.name, ...(keys ?? [])].join("."));
}

function literalAt(
  project: Project,
  module: SourceModule,
  root: string,
  keys: readonly string[],
): SourceNode | undefined {
  const referent = new ReferenceResolver(project).path(module, module.program, root, keys);
  if (referent.kind !== "expression") return undefined;
  const node = unwrapFrozen(referent.module, referent.node);
  const isLiteral = node.type === "ObjectExpression" || node.type === "ArrayExpression";
  return isLiteral ? { module: referent.module, node } : undefined;
}
