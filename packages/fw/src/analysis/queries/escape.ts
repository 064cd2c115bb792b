import { typeKeys } from "../symbols/value-position.ts";
import type { ESTree } from "rolldown/utils";
import { unwrap } from "../source/expression.ts";
import type { Run } from "./run.ts";
import type { Frame, Value } from "./value.ts";

/** An expression whose value nobody follows further. */
export function unused(run: Run, node: ESTree.Node, frame: Frame, how: string): void {
  lost(run, run.value(node, frame), node, frame, how);
}

/** A query that goes where nobody follows it. */
export function lost(run: Run, value: Value, node: ESTree.Node, { module }: Frame, how: string): void {
  if (value?.kind === "query") run.report.escape({ module, node }, how, value);
}

/** A query of an entity that begins where it cannot be followed. */
export function entityEscapes(run: Run, node: ESTree.Node, { module }: Frame, how: string): void {
  run.report.entityEscape({ module, node }, how);
}

/** Everything inside a node, none of which may be a query. */
export function parts(run: Run, node: ESTree.Node, frame: Frame, how: string): void {
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    if (skipped.has(key)) continue;
    const value = fields[key];
    for (const each of Array.isArray(value) ? value : [value]) part(run, node, key, each, frame, how);
  }
}

function part(run: Run, parent: ESTree.Node, key: string, value: unknown, frame: Frame, how: string): void {
  if (typeof value !== "object" || value === null || !("type" in value)) return;
  const node = value as ESTree.Node;
  if (node.type.startsWith("TS") && node.type !== unwrap(node).type) return unused(run, node, frame, how);
  if (node.type.startsWith("TS")) return;
  if (parent.type === "Property" && key === "key" && !parent.computed) return;
  if (inner.has(node.type)) return parts(run, node, frame, how);
  if (/Statement$|Declaration$/.test(node.type)) return void run.statement(node as ESTree.Statement, frame);
  unused(run, node, frame, how);
}

/** Nodes that are no expressions but hold some. */
const inner: ReadonlySet<string> = new Set([
  "Property",
  "SpreadElement",
  "TemplateElement",
  "ClassBody",
  "MethodDefinition",
  "PropertyDefinition",
  "AccessorProperty",
  "StaticBlock",
  "ObjectPattern",
  "ArrayPattern",
  "AssignmentPattern",
  "RestElement",
  "Decorator",
  "JSXOpeningElement",
  "JSXClosingElement",
  "JSXAttribute",
  "JSXExpressionContainer",
  "JSXSpreadAttribute",
]);

/** Fields that hold no code that runs. */
const skipped: ReadonlySet<string> = new Set(["type", "parent", ...typeKeys]);
