import type { ESTree } from "rolldown/utils";
import type { Step } from "./table.ts";

/** Fields of a node that hold types. */
export const typeKeys: ReadonlySet<string> = new Set([
  "typeAnnotation",
  "returnType",
  "typeParameters",
  "typeArguments",
  "superTypeArguments",
  "implements",
]);

/** Nodes that name no value. */
export const withoutNames: ReadonlySet<string> = new Set([
  "Literal",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ImportDeclaration",
]);

/** True where an identifier stands for a value: it declares nothing, and names no property. */
export function isValue(step: Step, key: string): boolean {
  const { node, parent } = step;
  switch (node.type) {
    case "MemberExpression":
      return key === "object" || node.computed;
    case "Property":
      return key === "key" ? node.computed : parent?.node.type !== "ObjectPattern" || isAssigned(parent);
    case "ArrayPattern":
    case "RestElement":
      return isAssigned(step);
    case "AssignmentPattern":
      return key === "right" || isAssigned(step);
    case "MethodDefinition":
    case "PropertyDefinition":
    case "AccessorProperty":
      return key !== "key" || node.computed;
    default:
      return !namesIn[node.type]?.has(key);
  }
}

/** True for a pattern that assigns to what is declared elsewhere. */
function isAssigned(pattern: Step): boolean {
  let at: Step | undefined = pattern;
  while (at && patterns.has(at.node.type)) at = at.parent;
  const type = at?.node.type;
  return type === "AssignmentExpression" || type === "ForOfStatement" || type === "ForInStatement";
}

const patterns: ReadonlySet<string> = new Set([
  "ObjectPattern",
  "ArrayPattern",
  "Property",
  "RestElement",
  "AssignmentPattern",
]);

/** Fields of nodes that hold names and no values. */
const namesIn: Readonly<Partial<Record<string, ReadonlySet<string>>>> = {
  VariableDeclarator: new Set(["id"]),
  FunctionDeclaration: new Set(["id", "params"]),
  FunctionExpression: new Set(["id", "params"]),
  TSDeclareFunction: new Set(["id", "params"]),
  TSEmptyBodyFunctionExpression: new Set(["id", "params"]),
  ArrowFunctionExpression: new Set(["params"]),
  ClassDeclaration: new Set(["id"]),
  ClassExpression: new Set(["id"]),
  CatchClause: new Set(["param"]),
  LabeledStatement: new Set(["label"]),
  BreakStatement: new Set(["label"]),
  ContinueStatement: new Set(["label"]),
  MetaProperty: new Set(["meta", "property"]),
  TSEnumDeclaration: new Set(["id"]),
  TSEnumMember: new Set(["id"]),
  TSModuleDeclaration: new Set(["id"]),
  TSImportEqualsDeclaration: new Set(["id", "moduleReference"]),
  TSNamespaceExportDeclaration: new Set(["id"]),
  TSParameterProperty: new Set(["parameter"]),
  ExportSpecifier: new Set(["local", "exported"]),
  ExportAllDeclaration: new Set(["exported"]),
};

/** `<Card>`, and the first name of `<cards.Small>`. */
export function isElementName({ type }: ESTree.Node, key: string): boolean {
  return (type === "JSXOpeningElement" && key === "name") || (type === "JSXMemberExpression" && key === "object");
}
