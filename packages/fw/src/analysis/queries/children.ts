import { typeKeys } from "../symbols/value-position.ts";
import type { ESTree } from "rolldown/utils";
import { unwrap } from "../source/expression.ts";

import type { Frame } from "./frame.ts";

/** Runs all children of a node. Reports any query among them; `how` describes its use. */
export function runChildren(node: ESTree.Node, frame: Frame, how: string): void {
  const fields = node as unknown as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    if (skippedFields.has(key)) continue;
    const value = fields[key];
    for (const item of Array.isArray(value) ? value : [value]) runChild(node, key, item, frame, how);
  }
}

function runChild(parent: ESTree.Node, key: string, value: unknown, frame: Frame, how: string): void {
  if (typeof value !== "object" || value === null || !("type" in value)) return;
  const node = value as ESTree.Node;
  if (node.type.startsWith("TS") && node.type !== unwrap(node).type) return frame.unused(node, how);
  if (node.type.startsWith("TS")) return;
  if (parent.type === "Property" && key === "key" && !parent.computed) return;
  if (containerTypes.has(node.type)) return runChildren(node, frame, how);
  if (/Statement$|Declaration$/.test(node.type)) return void frame.statement(node as ESTree.Statement);
  frame.unused(node, how);
}

/** Nodes that are not expressions but contain expressions. */
const containerTypes: ReadonlySet<string> = new Set([
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

/** Node fields that contain no executable code. */
const skippedFields: ReadonlySet<string> = new Set(["type", "parent", ...typeKeys]);
