import { parseSync, Visitor } from "rolldown/utils";
import { participles, shortLivedLines } from "./rules.ts";

/** A comment. Consecutive line comments count as one. */
export interface SourceComment {
  /** The text without delimiters, leading stars and surrounding whitespace. */
  readonly text: string;
  /** The number of the first line, from 1. */
  readonly line: number;
  /** The length of its longest line in the file, including the indentation. */
  readonly columns: number;
}

export interface DeclaredName {
  readonly name: string;
  readonly line: number;
  readonly isParticiple: boolean;
}

export interface SourceProse {
  readonly comments: readonly SourceComment[];
  readonly names: readonly DeclaredName[];
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

export function readSourceProse(file: string, source: string): SourceProse {
  const { program, comments } = parseSync(file, source);
  const lineOf = lineFinder(source);
  return {
    comments: joinComments(comments, source, lineOf),
    names: declaredNames(program as unknown as Node, lineOf),
  };
}

type LineFinder = (offset: number) => number;

function lineFinder(source: string): LineFinder {
  const starts = [0];
  for (let at = source.indexOf("\n"); at >= 0; at = source.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

interface RawComment {
  readonly type: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

/** Directives for tools do not count as prose. */
const directive = /^(?:oxlint-|eslint-|prettier-|@ts-|#__|\/|<reference|istanbul|v8 ignore)/;

function joinComments(comments: readonly RawComment[], source: string, lineOf: LineFinder): SourceComment[] {
  const lines = source.split("\n");
  const blocks: { text: string; line: number; last: number; isLine: boolean }[] = [];
  for (const { type, value, start, end } of comments) {
    const text = value.replaceAll(/^\s*\*+ ?/gm, "").trim();
    if (directive.test(text)) continue;
    const line = lineOf(start);
    const last = lineOf(end);
    const before = blocks.at(-1);
    const isLine = type === "Line" && lines[line - 1]?.trimStart().startsWith("//") === true;
    if (isLine && before?.isLine && before.last === line - 1) {
      before.text += ` ${text}`;
      before.last = last;
    } else if (text) blocks.push({ text, line, last, isLine });
  }
  return blocks.map(({ text, line, last }) => ({ text, line, columns: longestLine(lines.slice(line - 1, last)) }));
}

function longestLine(lines: readonly string[]): number {
  return Math.max(...lines.map((line) => line.length));
}

/**
 * Returns the names of variables, parameters, functions, classes, types, and members of types. Keys of object literals
 * are excluded, because they may repeat names of another API.
 */
function declaredNames(program: Node, lineOf: LineFinder): DeclaredName[] {
  const names: DeclaredName[] = [];
  const add = (node: Node, scope: Node): void => {
    const name = String(node["name"]);
    const isShortLived = lineOf(scope.end) - lineOf(node.start) <= shortLivedLines;
    const isParticiple = participles.has(name.toLowerCase()) && !isShortLived;
    names.push({ name, line: lineOf(node.start), isParticiple });
  };
  const addPattern = (pattern: Node | null | undefined, scope: Node): void => {
    for (const id of identifiersOf(pattern)) add(id, scope);
  };
  const scopes: Node[] = [program];
  const scope = (): Node => scopes.at(-1) ?? program;
  const enter = (node: unknown): void => void scopes.push(node as Node);
  const leave = (): void => void scopes.pop();
  const enterFunction = (node: unknown): void => {
    const { id, params } = node as { id: Node | null; params: readonly Node[] };
    if (id) add(id, scope());
    enter(node);
    for (const param of params) addPattern(param, node as Node);
  };
  const declareType = (node: unknown): void => add((node as { id: Node }).id, program);
  const member = (node: unknown): void => {
    const { key, computed } = node as { key: Node; computed: boolean };
    if (!computed && key.type === "Identifier") add(key, program);
  };
  new Visitor({
    BlockStatement: enter,
    "BlockStatement:exit": leave,
    FunctionDeclaration: enterFunction,
    "FunctionDeclaration:exit": leave,
    FunctionExpression: enterFunction,
    "FunctionExpression:exit": leave,
    ArrowFunctionExpression: enterFunction,
    "ArrowFunctionExpression:exit": leave,
    ForOfStatement: enter,
    "ForOfStatement:exit": leave,
    ForStatement: enter,
    "ForStatement:exit": leave,
    VariableDeclarator: (node) => addPattern(node.id as unknown as Node, scope()),
    ClassDeclaration: declareType,
    TSInterfaceDeclaration: declareType,
    TSTypeAliasDeclaration: declareType,
    TSPropertySignature: member,
    TSMethodSignature: member,
    PropertyDefinition: member,
    MethodDefinition: member,
  }).visit(program as never);
  return names;
}

function identifiersOf(pattern: Node | null | undefined): Node[] {
  if (!pattern) return [];
  const children = (name: string): Node[] => (pattern[name] as readonly (Node | null)[]).flatMap(identifiersOf);
  switch (pattern.type) {
    case "Identifier":
      return [pattern];
    case "ObjectPattern":
      return children("properties");
    case "ArrayPattern":
      return children("elements");
    case "Property":
      // `{ known }` repeats a name declared elsewhere.
      return pattern["shorthand"] === true ? [] : identifiersOf(pattern["value"] as Node);
    case "RestElement":
      return identifiersOf(pattern["argument"] as Node);
    case "AssignmentPattern":
      return identifiersOf(pattern["left"] as Node);
    case "TSParameterProperty":
      return identifiersOf(pattern["parameter"] as Node);
    default:
      return [];
  }
}
