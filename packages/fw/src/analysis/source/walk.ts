import type { ESTree } from "rolldown/utils";
import { patternNames } from "./names.ts";

/** One node on the way down from the program. */
export interface Step {
  readonly node: ESTree.Node;
  readonly parent: Step | undefined;
  /** The names, of those watched, that mean something else here than at the top level. */
  readonly shadowed: ReadonlySet<string>;
}

const nothing: ReadonlySet<string> = new Set();

/**
 * Visits every node that runs: types are left out. `watched` are names of the top level whose shadowing matters.
 * Needs no stack: sources may be nested deeper than JavaScript calls can be.
 */
export function walk(program: ESTree.Program, watched: ReadonlySet<string>, visit: (step: Step) => void): void {
  const waiting: Step[] = [{ node: program, parent: undefined, shadowed: nothing }];
  for (let step = waiting.pop(); step; step = waiting.pop()) {
    visit(step);
    pushChildren(waiting, step, watched);
  }
}

function pushChildren(waiting: Step[], parent: Step, watched: ReadonlySet<string>): void {
  const shadowed = shadowedIn(parent, watched);
  const fields = parent.node as unknown as Readonly<Record<string, unknown>>;
  for (const key in fields) {
    if (typeKeys.has(key)) continue;
    const value = fields[key];
    if (Array.isArray(value)) for (const each of value) pushNode(waiting, each, parent, shadowed);
    else pushNode(waiting, value, parent, shadowed);
  }
}

function pushNode(waiting: Step[], value: unknown, parent: Step, shadowed: ReadonlySet<string>): void {
  if (typeof value !== "object" || value === null || !("type" in value)) return;
  const node = value as ESTree.Node;
  if (node.type === "Identifier" || node.type === "Literal" || typeNodes.has(node.type)) return;
  waiting.push({ node, parent, shadowed });
}

/** Fields of a node that hold types. */
export const typeKeys: ReadonlySet<string> = new Set([
  "typeAnnotation",
  "returnType",
  "typeParameters",
  "typeArguments",
  "superTypeArguments",
  "implements",
]);
const typeNodes: ReadonlySet<string> = new Set([
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ImportDeclaration",
]);

function shadowedIn(step: Step, watched: ReadonlySet<string>): ReadonlySet<string> {
  const hidden = declaredBy(step.node).filter((name) => watched.has(name));
  return hidden.length === 0 ? step.shadowed : new Set([...step.shadowed, ...hidden]);
}

/** The names that a scope declares for what is inside it. The program itself shadows nothing. */
export function declaredBy(node: ESTree.Node): readonly string[] {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return [
        ...(node.type === "FunctionExpression" && node.id ? [node.id.name] : []),
        ...node.params.flatMap(patternNames),
      ];
    case "ClassExpression":
      return node.id ? [node.id.name] : [];
    case "BlockStatement":
    case "StaticBlock":
    case "TSModuleBlock":
      return node.body.flatMap(declaredByStatement);
    case "SwitchStatement":
      return node.cases.flatMap((each) => each.consequent.flatMap(declaredByStatement));
    case "ForStatement":
      return node.init ? declaredByStatement(node.init) : [];
    case "ForInStatement":
    case "ForOfStatement":
      return declaredByStatement(node.left);
    case "CatchClause":
      return node.param ? patternNames(node.param) : [];
    default:
      return [];
  }
}

function declaredByStatement(node: ESTree.Node): readonly string[] {
  switch (node.type) {
    case "VariableDeclaration":
      return node.declarations.flatMap((each) => patternNames(each.id));
    case "FunctionDeclaration":
    case "ClassDeclaration":
    case "TSEnumDeclaration":
      return node.id ? [node.id.name] : [];
    case "ExportNamedDeclaration":
      return node.declaration ? declaredByStatement(node.declaration) : [];
    default:
      return [];
  }
}
