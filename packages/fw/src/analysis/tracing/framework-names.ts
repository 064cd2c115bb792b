import type { Finding } from "../rule.ts";
import type { ESTree } from "rolldown/utils";
import { isDeclarationName } from "../../model/kinds.ts";
import { constantOf } from "../resolution/constant.ts";
import type { ImportAliases } from "../resolution/declarations.ts";
import { memberAccess } from "../resolution/member-access.ts";
import { ReferenceResolver, type Referent } from "../resolution/reference-resolver.ts";
import { resolveExport } from "../resolution/resolve-name.ts";
import { isWrapper, propertyName, quote, unwrapFrozen, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { isFramework } from "../source/resolve.ts";
import { accessOf, isLocalAlias, type Access } from "../symbols/access.ts";
import { keysTo } from "../symbols/alias.ts";
import { symbolsOf, type Reference, type NodePath } from "../symbols/table.ts";

/**
 * Reports uses of fw's declaring functions that fw cannot follow. It can follow a call, and an alias under another
 * resolvable name. The same holds for values that contain such functions: `fw` itself, modules and literals. `names`
 * are the names that may lead to such a value.
 */
export function untracedNames(
  project: Project,
  module: SourceModule,
  names: ImportAliases["names"],
): readonly Finding[] {
  const { references } = symbolsOf(module);
  return references.flatMap((reference) => {
    const { root } = reference;
    if (typeof root !== "string")
      return isFrameworkLoaded(project, module, reference) ? [dynamicImportFinding(module, reference)] : [];
    return names.has(root) ? untracedFindings(project, module, reference, root) : [];
  });
}

function untracedFindings(
  project: Project,
  module: SourceModule,
  reference: Reference,
  root: string,
): readonly Finding[] {
  const access = memberAccess(project, module, reference);
  const value = resolveFrameworkValue(project, module, root, [...reference.path, ...access.keys]);
  if (value === undefined || isFollowed(project, module, reference, access, value)) return [];
  const text = quote(module, access.node);
  const subject =
    value.kind === "function" ? `${text} declares parts of a service` : `${text} contains functions of fw`;
  return [
    {
      at: spanOf(module, access.node),
      message: `${subject}, and fw cannot follow it ${describeDestination(access)}`,
      hint:
        value.kind === "function"
          ? `call ${value.name} by its name, or give it another name with a const: const … = ${value.name}`
          : "import the functions you call from fw by name",
    },
  ];
}

/** One of fw's declaring functions with the members read from it, or a value that contains such functions. */
type FrameworkValue =
  | { readonly kind: "function"; readonly name: string; readonly rest: readonly string[] }
  | { readonly kind: "holder" };

function resolveFrameworkValue(
  project: Project,
  module: SourceModule,
  root: string,
  keys: readonly string[],
): FrameworkValue | undefined {
  for (let length = 0; length <= keys.length; length += 1) {
    const referent = new ReferenceResolver(project).path(module, module.program, root, keys.slice(0, length));
    if (referent.kind === "fw" && isDeclarationName(referent.name))
      return { kind: "function", name: referent.name, rest: keys.slice(length) };
    if (length === keys.length) return holdsFunctions(project, referent) ? { kind: "holder" } : undefined;
  }
  return undefined;
}

/** Maximum depth of nested literals and modules to search. */
const maxDepth = 8;

function holdsFunctions(project: Project, referent: Referent, depth = 0): boolean {
  const holds = (inner: Referent): boolean =>
    (inner.kind === "fw" && isDeclarationName(inner.name)) ||
    (depth < maxDepth && holdsFunctions(project, inner, depth + 1));
  switch (referent.kind) {
    case "fw":
      return referent.name === "*";
    case "namespace":
      return exportsAny(project, referent.module, holds);
    case "expression": {
      const literal = unwrapFrozen(referent.module, referent.node);
      const parts = partsOf(literal);
      return parts.some(
        (each) => isReference(each) && holds(new ReferenceResolver(project).resolve(referent.module, each)),
      );
    }
    default:
      return false;
  }
}

/** True for a module that re-exports declaring functions of `fw`, or `fw` itself. */
export function exportsFrameworkFunctions(project: Project, module: SourceModule): boolean {
  return holdsFunctions(project, { kind: "namespace", module });
}

function exportsAny(project: Project, module: SourceModule, holds: (inner: Referent) => boolean): boolean {
  if (module.stars.some(isFramework)) return true;
  return [...module.exports.keys()].some((name) => {
    const resolved = resolveExport(project, module, name);
    return resolved?.kind === "fw" && holds(resolved);
  });
}

function partsOf(literal: ESTree.Node): readonly ESTree.Node[] {
  if (literal.type === "ArrayExpression") return literal.elements.flatMap((each) => each ?? []);
  if (literal.type !== "ObjectExpression") return [];
  return literal.properties.map((each) => (each.type === "SpreadElement" ? each.argument : each.value));
}

function isReference(node: ESTree.Node): boolean {
  return referring.has(unwrap(node).type);
}

const referring: ReadonlySet<string> = new Set([
  "Identifier",
  "MemberExpression",
  "ObjectExpression",
  "ArrayExpression",
  "ConditionalExpression",
  "LogicalExpression",
  "CallExpression",
]);

/** Methods of functions that call the function, or return a bound copy. */
const bindings: ReadonlySet<string | undefined> = new Set(["bind", "call", "apply"]);

function isFollowed(
  project: Project,
  module: SourceModule,
  reference: Reference,
  access: Access,
  value: FrameworkValue,
): boolean {
  if (value.kind === "function" && value.rest.length > 0) return !bindings.has(value.rest[0]);
  const { node, around, isCalled } = access;
  if (isCalled) return value.kind === "function";
  if (isLocalAlias(reference, access)) return !isExportedOfNamespace(around);
  return isValueFollowed(project, module, node, around);
}

/** True if the value is discarded, gets a resolvable alias, or is part of a literal with one. */
function isValueFollowed(project: Project, module: SourceModule, node: ESTree.Node, around: NodePath): boolean {
  const outer = around.node;
  const up = (): boolean => around.parent !== undefined && isValueFollowed(project, module, outer, around.parent);
  if (isWrapper(outer)) return up();
  switch (outer.type) {
    case "ExpressionStatement":
    case "IfStatement":
    case "UnaryExpression":
    case "BinaryExpression":
    case "ExportDefaultDeclaration":
      return true;
    case "VariableDeclarator":
      return isFollowedVariable(project, module, outer, around);
    case "ConditionalExpression":
      if (outer.test === node) return true;
      return isFunctionOfFw(project, module, outer) && up();
    case "LogicalExpression":
      return isFunctionOfFw(project, module, outer) && up();
    case "Property":
      return outer.value === node && !outer.computed && around.parent?.node.type === "ObjectExpression" && up();
    case "SpreadElement":
      return around.parent?.node.type === "ObjectExpression" && up();
    case "ObjectExpression":
      return up();
    case "ArrayExpression":
      return !outer.elements.some((each) => each?.type === "SpreadElement") && up();
    case "CallExpression":
      return unwrapFrozen(module, outer) !== outer && up();
    default:
      return false;
  }
}

function isFunctionOfFw(project: Project, module: SourceModule, node: ESTree.Node): boolean {
  return new ReferenceResolver(project).resolve(module, node).kind === "fw";
}

/** True for a top-level variable if fw can resolve every name it binds. */
function isFollowedVariable(
  project: Project,
  module: SourceModule,
  declarator: ESTree.VariableDeclarator,
  { parent }: NodePath,
): boolean {
  const outer = parent?.parent?.node.type;
  if (outer !== "Program" && outer !== "ExportNamedDeclaration") return false;
  const bindings = [...module.bindings.values()].filter(
    (each) => (each.kind === "variable" || each.kind === "pattern") && each.node === declarator,
  );
  return bindings.every(({ name }) => {
    if (declarator.id.type !== "Identifier" && keysTo(declarator.id, name) === undefined) return false;
    const referent = new ReferenceResolver(project).path(module, declarator, name, []);
    return referent.kind !== "unresolved" || !isMutable(parent?.node);
  });
}

function isMutable(statement: ESTree.Node | undefined): boolean {
  return statement?.type === "VariableDeclaration" && statement.kind !== "const";
}

/** True for `export const` in a namespace, where other code reads it as a member of the namespace. */
function isExportedOfNamespace({ parent }: NodePath): boolean {
  return parent?.parent?.node.type === "ExportNamedDeclaration";
}

/** Describes the value's destination, as a phrase to put after "fw cannot follow it". */
function describeDestination({ around: { node } }: Access): string {
  switch (node.type) {
    case "CallExpression":
    case "NewExpression":
      return "into a call";
    case "AssignmentExpression":
    case "VariableDeclarator":
      return "into a variable that can change or a pattern";
    case "ConditionalExpression":
    case "LogicalExpression":
      return "through a choice";
    case "PropertyDefinition":
      return "into a class";
    case "ReturnStatement":
    case "ArrowFunctionExpression":
      return "out of a function";
    case "MemberExpression":
      return "through a computed key";
    default:
      return "here";
  }
}

/**
 * True for an `import()` of `fw` or of a module that exports its functions, if the code may use a declaring function.
 */
function isFrameworkLoaded(project: Project, module: SourceModule, reference: Reference): boolean {
  const specifier = typeof reference.root === "string" ? undefined : constantOf(project, module, reference.root);
  if (specifier?.ok !== true || typeof specifier.value !== "string") return false;
  const holder = importedValue(project, module, specifier.value);
  if (holder === undefined || !holdsFunctions(project, holder)) return false;
  const access = accessOf(reference);
  const [key] = [...reference.path, ...access.keys];
  const { node } = access.around;
  if (key !== undefined) return mayDeclare(holder, key);
  if (node.type !== "VariableDeclarator" || node.id.type !== "ObjectPattern") return true;
  return node.id.properties.some((each) => {
    const name = each.type === "Property" ? propertyName(each) : undefined;
    return name === undefined || mayDeclare(holder, name);
  });
}

function importedValue(project: Project, module: SourceModule, specifier: string): Referent | undefined {
  if (specifier === "fw") return { kind: "fw", name: "*" };
  const path = project.resolve(module.path, specifier);
  const target = path === undefined ? undefined : project.module(path);
  return target && { kind: "namespace", module: target };
}

/** True if an export may contain declaring functions, as every export of an application module may. */
function mayDeclare(holder: Referent, name: string): boolean {
  return holder.kind !== "fw" || isDeclarationName(name);
}

function dynamicImportFinding(module: SourceModule, { node }: Reference): Finding {
  return {
    at: spanOf(module, node),
    message: "this imports functions of fw when the code runs, and fw cannot follow what they declare",
    hint: "import them at the top of the module",
  };
}
