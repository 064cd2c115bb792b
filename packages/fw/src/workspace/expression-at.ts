import type { ESTree } from "rolldown/utils";
import { nodesAround } from "../analysis/source/nodes-around.ts";
import { parseModule } from "../analysis/source/parse.ts";
import { offsetOf, spanOf } from "../analysis/source/position.ts";
import type { Span } from "../model/diagnostic.ts";

/**
 * Returns the whole expression that a stack frame refers to. A frame has only a line and a column: for `orders.get(ctx,
 * id)`, the position of `get`. The span starts on the frame's line. Falls back to the frame's position if there is no
 * such expression, for example because the file has changed.
 */
export function expressionAt(text: string, at: Span): Span {
  const expression = wholeExpression(text, at);
  if (expression === undefined) return at;
  return expression.line === at.line ? expression : { ...expression, line: at.line, column: at.column };
}

function wholeExpression(text: string, { path, line, column }: Span): Span | undefined {
  const module = parseModule(path, text);
  const offset = offsetOf(module, { line, column });
  const around = nodesAround(module, { path, line, column, endLine: line, endColumn: column + 1 });
  const expression = around.find((node) => frameOffset(node) === offset);
  return expression && spanOf(module, expression);
}

/** Returns the offset at which a stack frame reports an expression; undefined for nodes that no frame refers to. */
function frameOffset(node: ESTree.Node): number | undefined {
  switch (node.type) {
    case "CallExpression":
      return node.callee.type === "MemberExpression" ? node.callee.property.start : node.callee.start;
    case "TaggedTemplateExpression":
      return node.tag.type === "MemberExpression" ? node.tag.property.start : node.tag.start;
    case "MemberExpression":
      return node.property.start;
    case "Identifier":
    case "ImportExpression":
    case "NewExpression":
      return node.start;
    default:
      return undefined;
  }
}
