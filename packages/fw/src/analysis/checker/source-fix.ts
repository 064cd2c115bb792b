import { SyntaxKind, type Expression, type Node } from "typescript/unstable/ast";
import { SymbolFlags, type Project } from "typescript/unstable/async";

/** A hint for a TypeScript error, with a fix in the same file if one can be written. */
export interface Remedy {
  readonly hint: string;
  readonly fix?: SourceFix;
}

/** A fix whose edits use TypeScript's offsets. */
export interface SourceFix {
  readonly title: string;
  readonly edits: readonly SourceEdit[];
}

export interface SourceEdit {
  readonly pos: number;
  readonly end: number;
  readonly text: string;
}

/** Replaces a node but keeps the whitespace and comments before it. */
export function replaceNode(node: Node, text: string): SourceEdit {
  return { pos: node.getStart(), end: node.end, text };
}

/** Appends `as` and a type to an expression, in parentheses if its operator binds less tightly. */
export function convertTo(type: string, expression: Expression): SourceEdit {
  const text = expression.getText();
  return replaceNode(expression, `${looseKinds.has(expression.kind) ? `(${text})` : text} as ${type}`);
}

const looseKinds: ReadonlySet<SyntaxKind> = new Set([
  SyntaxKind.BinaryExpression,
  SyntaxKind.ConditionalExpression,
  SyntaxKind.YieldExpression,
]);

/** True if every name in a printed type resolves to a type at a node. */
export async function canWriteType({ checker }: Project, type: string, at: Node): Promise<boolean> {
  const names = type.replaceAll(/"[^"]*"/g, "").match(/[A-Za-z_$][\w$]*/g) ?? [];
  const symbols = await Promise.all(names.map((name) => checker.resolveName(name, SymbolFlags.Type, at)));
  return !symbols.includes(undefined);
}
