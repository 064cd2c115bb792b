import type { ESTree } from "rolldown/utils";

/** The names among a node's own parts that stand for a value there: not those it declares, nor names of properties. */
export function referencesIn(node: ESTree.Node): readonly ESTree.IdentifierReference[] {
  const parts = Object.hasOwn(valueParts, node.type) ? valueParts[node.type]?.(node as never) : undefined;
  const found = parts ?? Object.values(node).flat();
  return found.filter(isIdentifier);
}

function isIdentifier(value: unknown): value is ESTree.IdentifierReference {
  return typeof value === "object" && value !== null && "type" in value && value.type === "Identifier";
}

type Computed = { readonly computed: boolean; readonly key: ESTree.Node };

const none = (): readonly unknown[] => [];
const keyIfComputed = ({ computed, key }: Computed): readonly unknown[] => (computed ? [key] : []);

/** For nodes whose parts are not all values: those that are. */
const valueParts: Readonly<Record<string, (node: never) => readonly unknown[]>> = {
  MemberExpression: (node: ESTree.MemberExpression) => (node.computed ? [node.object, node.property] : [node.object]),
  Property: (node: ESTree.ObjectProperty) => [...keyIfComputed(node), node.value],
  MethodDefinition: keyIfComputed,
  PropertyDefinition: (node: Computed & { readonly value: unknown }) => [...keyIfComputed(node), node.value],
  VariableDeclarator: (node: ESTree.VariableDeclarator) => [node.init],
  AssignmentPattern: (node: ESTree.AssignmentPattern) => [node.right],
  FunctionDeclaration: none,
  FunctionExpression: none,
  TSDeclareFunction: none,
  ArrowFunctionExpression: (node: ESTree.ArrowFunctionExpression) => [node.body],
  ClassDeclaration: (node: ESTree.Class) => [node.superClass],
  ClassExpression: (node: ESTree.Class) => [node.superClass],
  ObjectPattern: none,
  ArrayPattern: none,
  RestElement: none,
  CatchClause: none,
  LabeledStatement: none,
  BreakStatement: none,
  ContinueStatement: none,
  ExportSpecifier: none,
  TSEnumDeclaration: none,
  TSEnumMember: none,
  TSModuleDeclaration: none,
  TSImportEqualsDeclaration: none,
};
