import ts from "typescript-6";

const { SyntaxKind } = ts;

/** Operators and their replacements. */
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
 * Lists the mutants of a source. Each replaces one operator, condition, literal or statement, from `start` to `end`.
 * `at` is the position in the line's `code`. `place` is the code that must run for the mutant to have an effect;
 * undefined for module-level code.
 */
export function mutantsOf(path, text) {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const lines = text.split("\n");
  const mutants = [];
  const add = (node, replacement, what, place = node) => {
    const start = node.getStart(file);
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    mutants.push({
      path,
      line: line + 1,
      column: character + 1,
      start,
      end: node.getEnd(),
      what,
      was: node.getText(file),
      becomes: replacement,
      code: lines[line].trim(),
      at: character - (lines[line].length - lines[line].trimStart().length),
      place: placeOf(place, file),
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
    if (replacement !== undefined) add(node.operatorToken, replacement, "operator", node);
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
  if (ts.isNumericLiteral(node)) {
    const place = ts.isPropertyAssignment(node.parent) && node.parent.name === node ? node.parent.parent : node;
    add(node, `${Number(node.text.replaceAll("_", "")) + 1}`, "literal", place);
  }
  if (ts.isAwaitExpression(node)) add(node, `(${node.expression.getText(file)})`, "await");
  if (ts.isExpressionStatement(node) && !isSuperCall(node.expression)) add(node, ";", "statement");
  if (ts.isContinueStatement(node) || ts.isBreakStatement(node)) add(node, ";", "statement");
  if (ts.isReturnStatement(node) && node.expression === undefined) add(node, ";", "statement");
}

function placeOf(node, file) {
  if (!ts.findAncestor(node, (parent) => ts.isFunctionLike(parent) || ts.isPropertyDeclaration(parent)))
    return undefined;
  return { start: node.getStart(file), end: node.getEnd(), isStatement: ts.isStatement(node) };
}

/**
 * Returns the source with calls to `globalThis.reached`, which record the mutants that a test reaches: before each
 * mutant's place, and at the end for mutants without a place. `ids` are the mutants' numbers.
 */
export function withProbes(text, mutants, ids) {
  const places = new Map();
  const ofModule = [];
  for (const [index, { place }] of mutants.entries()) {
    if (place === undefined) {
      ofModule.push(ids[index]);
      continue;
    }
    const key = `${place.start}:${place.end}:${place.isStatement}`;
    const probe = places.get(key) ?? { ...place, ids: [] };
    probe.ids.push(ids[index]);
    places.set(key, probe);
  }
  const inserts = [...places.values()].flatMap(({ start, end, isStatement, ids: own }) => {
    const call = callOf(own);
    const size = end - start + (isStatement ? 0.5 : 0);
    return [
      { at: start, order: -size, text: isStatement ? `{${call};` : `(${call},` },
      { at: end, order: size - Number.MAX_SAFE_INTEGER, text: isStatement ? "}" : ")" },
    ];
  });
  let result = "";
  let from = 0;
  for (const insert of inserts.toSorted((a, b) => a.at - b.at || a.order - b.order)) {
    result += text.slice(from, insert.at) + insert.text;
    from = insert.at;
  }
  return `${result}${text.slice(from)}\n${callOf(ofModule)};\n`;
}

function callOf(ids) {
  return `globalThis.reached?.(${ids.join(",")})`;
}

function isSuperCall(node) {
  return ts.isCallExpression(node) && node.expression.kind === SyntaxKind.SuperKeyword;
}
