import type { ESTree } from "rolldown/utils";
import type { NodePath } from "./table.ts";

/** Node fields that hold types. */
export const typeKeys: ReadonlySet<string> = new Set([
  "typeAnnotation",
  "returnType",
  "typeParameters",
  "typeArguments",
  "superTypeArguments",
  "implements",
]);

/** Nodes whose identifiers are not values. */
export const withoutNames: ReadonlySet<string> = new Set([
  "Literal",
  "TSInterfaceDeclaration",
  "TSTypeAliasDeclaration",
  "ImportDeclaration",
]);

/** True if an identifier is used as a value, and not to declare a name or to name a property. */
export function isValue(step: NodePath, key: string): boolean {
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

/** True for a pattern that assigns to variables declared elsewhere. */
function isAssigned(pattern: NodePath): boolean {
  let at: NodePath | undefined = pattern;
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

/** Node fields that hold names rather than values. */
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

/** True for `<Card>`, and for the first name of `<cards.Small>`. */
export function isElementName({ type }: ESTree.Node, key: string): boolean {
  return (type === "JSXOpeningElement" && key === "name") || (type === "JSXMemberExpression" && key === "object");
}
