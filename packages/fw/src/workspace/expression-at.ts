import type { ESTree } from "rolldown/utils";
import { nodesAround } from "../analysis/source/nodes-around.ts";
import { parseModule } from "../analysis/source/parse.ts";
import { offsetOf, spanOf } from "../analysis/source/position.ts";
import type { Span } from "../model/diagnostic.ts";

/**
 * Returns the whole expression that a stack frame refers to by a line and a column: of `orders.get(ctx, id)`, a frame
 * names the place of `get`. The span begins in the line of the frame. It is only the place of the frame if there is no
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

/** The offset in stack frames of a failure in an expression; undefined for nodes that no frame refers to. */
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
