import ts from "typescript-6";

const { SyntaxKind } = ts;

/** Operators and what each is replaced by. */
const operators = new Map([
  [SyntaxKind.LessThanToken, "<="],
  [SyntaxKind.LessThanEqualsToken, "<"],
  [SyntaxKind.GreaterThanToken, ">="],
  [SyntaxKind.GreaterThanEqualsToken, ">"],
  [SyntaxKind.EqualsEqualsEqualsToken, "!=="],
  [SyntaxKind.ExclamationEqualsEqualsToken, "==="],
  [SyntaxKind.AmpersandAmpersandToken, "||"],
  [SyntaxKind.BarBarToken, "&&"],
  [SyntaxKind.QuestionQuestionToken, "&&"],
  [SyntaxKind.PlusToken, "-"],
  [SyntaxKind.MinusToken, "+"],
  [SyntaxKind.AsteriskToken, "/"],
  [SyntaxKind.PlusEqualsToken, "-="],
  [SyntaxKind.MinusEqualsToken, "+="],
]);

/**
 * Lists the mutants of a source: each replaces one operator, condition, literal or statement. `start` and `end` are
 * the replaced range.
 */
export function mutantsOf(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const mutants = [];
  const add = (node, replacement, what) => {
    const start = node.getStart(file);
    const { line } = file.getLineAndCharacterOfPosition(start);
    mutants.push({
      path,
      line: line + 1,
      start,
      end: node.getEnd(),
      what,
      was: node.getText(file),
      becomes: replacement,
    });
  };
  const visit = (node) => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) return;
    if (ts.isImportDeclaration(node) || ts.isThrowStatement(node)) return;
    mutate(node, add, file);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return mutants;
}

/** Adds the mutants of one node. */
function mutate(node, add, file) {
  if (ts.isBinaryExpression(node)) {
    const replacement = operators.get(node.operatorToken.kind);
    if (replacement !== undefined) add(node.operatorToken, replacement, "operator");
  }
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) add(node.expression, "false", "condition");
  if (ts.isIfStatement(node)) add(node.expression, "true", "condition");
  if (ts.isConditionalExpression(node)) {
    add(node.condition, "true", "condition");
    add(node.condition, "false", "condition");
  }
  if (ts.isPrefixUnaryExpression(node) && node.operator === SyntaxKind.ExclamationToken) {
    add(node, node.operand.getText(file), "negation");
  }
  if (node.kind === SyntaxKind.TrueKeyword) add(node, "false", "literal");
  if (node.kind === SyntaxKind.FalseKeyword) add(node, "true", "literal");
  if (ts.isNumericLiteral(node)) add(node, `${Number(node.text.replaceAll("_", "")) + 1}`, "literal");
  if (ts.isAwaitExpression(node)) add(node, `(${node.expression.getText(file)})`, "await");
  if (ts.isExpressionStatement(node) && !isSuperCall(node.expression)) add(node, ";", "statement");
  if (ts.isContinueStatement(node) || ts.isBreakStatement(node)) add(node, ";", "statement");
  if (ts.isReturnStatement(node) && node.expression === undefined) add(node, ";", "statement");
}

function isSuperCall(node) {
  return ts.isCallExpression(node) && node.expression.kind === SyntaxKind.SuperKeyword;
}
