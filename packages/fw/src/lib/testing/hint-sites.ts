import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript-6";

/** A message in source code and its hint, if it has one. `…` stands for parts that are known only at run time. */
export interface HintSite {
  readonly message: string;
  readonly hint: string | undefined;
}

/** A function that creates messages, and the indexes of the message and the hint among its arguments. */
export interface MessageMaker {
  readonly name: string;
  readonly message: number;
  readonly hint: number;
}

/**
 * Lists messages in source files with their hints. Messages are arguments of a maker or `message` properties. Hints may
 * be strings, conditions, constants, and functions of the same file.
 */
export function hintSites(urls: readonly URL[], makers: readonly MessageMaker[] = []): readonly HintSite[] {
  return urls.flatMap((url) => {
    const text = readFileSync(fileURLToPath(url), "utf8");
    const file = ts.createSourceFile(url.href, text, ts.ScriptTarget.Latest, true);
    return nodesOf(file).flatMap((node) => {
      const [message, hint] = partsOf(node, file, makers);
      if (message === undefined) return [];
      const hints = hint === undefined ? [undefined] : textsOf(hint, file);
      return textsOf(message, file).flatMap((one) =>
        one === undefined ? [] : hints.map((each) => ({ message: one, hint: each })),
      );
    });
  });
}

/** A message that a test has printed. */
interface Printed {
  readonly message: string;
  readonly hint?: string | null;
}

/** Lists messages without a hint, and messages and hints that were never printed. */
export function hintGaps(sites: readonly HintSite[], printed: readonly Printed[]): readonly string[] {
  const messages = printed.map(({ message }) => message);
  const hints = printed.map(({ hint }) => hint ?? "");
  const gaps = sites.flatMap(({ message, hint }) => [
    ...(messages.some((one) => patternOf(message).test(one)) ? [] : [`message without a test: ${message}`]),
    ...(hint === undefined ? [`message without a hint: ${message}`] : []),
    ...(hint === undefined || hints.some((one) => patternOf(hint).test(one)) ? [] : [`hint without a test: ${hint}`]),
  ]);
  return [...new Set(gaps)];
}

function patternOf(text: string): RegExp {
  return new RegExp(
    `^${text
      .split("…")
      .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
      .join(".*")}$`,
    "s",
  );
}

function nodesOf(file: ts.SourceFile): readonly ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node): void => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return nodes;
}

/** Returns the message and the hint if a node creates a message. */
function partsOf(
  node: ts.Node,
  file: ts.SourceFile,
  makers: readonly MessageMaker[],
): readonly (ts.Expression | undefined)[] {
  if (ts.isObjectLiteralExpression(node)) return [propertyOf(node, "message", file), propertyOf(node, "hint", file)];
  if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) return [];
  const maker = makers.find(({ name }) => name === node.expression.getText(file));
  return maker === undefined ? [] : [node.arguments?.[maker.message], node.arguments?.[maker.hint]];
}

function propertyOf(node: ts.ObjectLiteralExpression, name: string, file: ts.SourceFile): ts.Expression | undefined {
  const property = node.properties.find((one) => one.name?.getText(file) === name);
  if (property === undefined) return undefined;
  if (ts.isShorthandPropertyAssignment(property)) return property.name;
  return ts.isPropertyAssignment(property) ? property.initializer : undefined;
}

/** Returns the strings that an expression may evaluate to; undefined represents no string. */
function textsOf(expression: ts.Expression, file: ts.SourceFile): readonly (string | undefined)[] {
  if (ts.isStringLiteralLike(expression)) return [expression.text];
  if (ts.isTemplateExpression(expression))
    return [[expression.head.text, ...expression.templateSpans.map(({ literal }) => literal.text)].join("…")];
  if (ts.isParenthesizedExpression(expression)) return textsOf(expression.expression, file);
  if (ts.isConditionalExpression(expression))
    return [...textsOf(expression.whenTrue, file), ...textsOf(expression.whenFalse, file)];
  if (ts.isIdentifier(expression) && expression.text === "undefined") return [undefined];
  const isUse = ts.isCallExpression(expression) || ts.isElementAccessExpression(expression);
  return textsOfName(isUse ? expression.expression : expression, file);
}

/** Returns the strings of a constant, of the values of a constant object, or of what a function returns. */
function textsOfName(name: ts.Expression, file: ts.SourceFile): readonly (string | undefined)[] {
  const declaration = nodesOf(file).find(
    (node): node is ts.FunctionDeclaration | ts.VariableDeclaration =>
      (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) &&
      node.name?.getText(file) === name.getText(file),
  );
  if (declaration === undefined) return ["…"];
  if (ts.isFunctionDeclaration(declaration)) return returnedTexts(declaration, file);
  const { initializer } = declaration;
  if (initializer === undefined) return ["…"];
  if (!ts.isObjectLiteralExpression(initializer)) return textsOf(initializer, file);
  return initializer.properties.flatMap((one) =>
    ts.isPropertyAssignment(one) ? textsOf(one.initializer, file) : ["…"],
  );
}

function returnedTexts(declaration: ts.FunctionDeclaration, file: ts.SourceFile): readonly (string | undefined)[] {
  const texts: (string | undefined)[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return;
    if (ts.isReturnStatement(node)) texts.push(...(node.expression ? textsOf(node.expression, file) : [undefined]));
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(declaration, visit);
  return texts;
}
