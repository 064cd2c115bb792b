import { type ESTree, parseSync } from "rolldown/utils";
import type { Edit } from "../../model/diagnostic.ts";
import { isFunction } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { nodesAround } from "../source/nodes-around.ts";
import { offsetOf, spanOf } from "../source/position.ts";
import type { Intent } from "./intent.ts";

/**
 * Declares a constant for a call before its statement, and replaces the call with the constant's name. Undefined if the
 * call does not run exactly once when the module loads, or if no readable name is free.
 */
export function extractConstant(
  module: SourceModule,
  { at, name: kind }: Extract<Intent, { kind: "extract" }>,
): readonly Edit[] | undefined {
  const around = nodesAround(module, at);
  const call = around.findLast((node) => node.type === "CallExpression" && node.callee.start === offsetOf(module, at));
  const [, statement] = around;
  if (call?.type !== "CallExpression" || statement === undefined || !runsOnce(around)) return undefined;
  const name = namesFor(call, kind).find((each) => isFree(module, call, each));
  if (name === undefined) return undefined;
  const declaration = `export const ${name} = `;
  if (statement.type === "ExpressionStatement" && statement.expression === call)
    return [insertion(module, statement.start, declaration)];
  const text = module.text.slice(call.start, call.end);
  const eol = module.text.includes("\r\n") ? "\r\n" : "\n";
  return [
    insertion(module, startWithComments(module, statement), `${declaration}${text};${eol}`),
    { at: spanOf(module, call), text: name },
  ];
}

/** True for an expression at the top level that runs exactly once: outside functions, classes and conditions. */
function runsOnce([, statement, ...inner]: readonly ESTree.Node[]): boolean {
  const declaration = statement?.type === "ExportNamedDeclaration" ? statement.declaration : statement;
  const isSingle =
    declaration?.type === "ExpressionStatement" ||
    (declaration?.type === "VariableDeclaration" && declaration.declarations.length === 1);
  return isSingle && !inner.some((node) => isFunction(node) || skipping.has(node.type) || isLogicalAssignment(node));
}

/** Nodes that may skip or repeat the evaluation of an inner expression. */
const skipping: ReadonlySet<ESTree.Node["type"]> = new Set<ESTree.Node["type"]>([
  "AssignmentPattern",
  "ChainExpression",
  "ClassExpression",
  "ConditionalExpression",
  "LogicalExpression",
]);

function isLogicalAssignment(node: ESTree.Node): boolean {
  return node.type === "AssignmentExpression" && ["&&=", "||=", "??="].includes(node.operator);
}

/**
 * Suggests names based on the declaration's own: `ordersFailed` for "orders_failed", `deleteOrders` for "DELETE
 * /orders".
 */
function namesFor({ arguments: [first] }: ESTree.CallExpression, kind: string): readonly string[] {
  const text = first?.type === "Literal" && typeof first.value === "string" ? first.value : kind;
  const [head = "", ...words] = text.match(/[A-Za-z0-9]+/g) ?? [];
  const start = head === head.toUpperCase() ? head.toLowerCase() : startLower(head);
  const name = [start, ...words.map(startUpper)].join("");
  return [name, `${name}${kind}`];
}

function startLower(word: string): string {
  return word.slice(0, 1).toLowerCase() + word.slice(1);
}

function startUpper(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}

/** True for a word that is not reserved and that the rest of the module does not contain. */
function isFree({ text }: SourceModule, call: ESTree.Span, name: string): boolean {
  const rest = `${text.slice(0, call.start)} ${text.slice(call.end)}`;
  return (
    !strictWords.has(name) &&
    !new RegExp(`(?<![\\w$])${name}(?![\\w$])`).test(rest) &&
    parseSync("name.ts", `const ${name} = 0`).errors.length === 0
  );
}

/** Words that the parser accepts but that cannot name a variable in a module. */
const strictWords: ReadonlySet<string> = new Set([
  "arguments",
  "await",
  "eval",
  "implements",
  "interface",
  "let",
  "package",
  "private",
  "protected",
  "public",
  "static",
  "undefined",
  "yield",
]);

/**
 * Returns the start of a statement with its leading comments, which start on the line after the previous statement. For
 * the module's first statement, returns its start without comments.
 */
function startWithComments({ program, text }: SourceModule, { start }: ESTree.Span): number {
  const end = program.body.findLast((other) => other.end <= start)?.end;
  if (end === undefined) return start;
  const between = text.slice(end, start);
  const [lineEnd = ""] = restOfLine.exec(between) ?? [];
  return between.trim() === "" ? start : end + lineEnd.length;
}

/** Matches white space and comments after a statement, up to the end of its last line. */
const restOfLine = /^(?:[^\S\n]|\/\/[^\n]*|\/\*.*?\*\/)*\n?/s;

function insertion(module: SourceModule, start: number, text: string): Edit {
  return { at: spanOf(module, { start, end: start }), text };
}
