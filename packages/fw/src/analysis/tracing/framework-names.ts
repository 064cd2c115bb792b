import type { Finding } from "../rule.ts";
import type { ESTree } from "rolldown/utils";
import { isDeclarationName } from "../../model/kinds.ts";
import { constantOf } from "../resolution/constant.ts";
import type { ImportAliases } from "../resolution/declarations.ts";
import { memberAccess } from "../resolution/member-access.ts";
import { ReferenceResolver, type Referent } from "../resolution/reference-resolver.ts";
import { resolveExport } from "../resolution/resolve-name.ts";
import { isWrapper, propertyName, quote, unfrozen, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { isFramework } from "../source/resolve.ts";
import { accessOf, isLocalAlias, type Access } from "../symbols/access.ts";
import { keysTo } from "../symbols/alias.ts";
import { symbolsOf, type Reference, type Step } from "../symbols/table.ts";

/**
 * Every use of a function of `fw` that declares something is a call, another name of it that is followed, or one of these.
 * So is every use of what holds such functions: `fw` itself, modules and literals. `names` are those that may lead there.
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
      return isFrameworkLoaded(project, module, reference) ? [loaded(module, reference)] : [];
    return names.has(root) ? untraced(project, module, reference, root) : [];
  });
}

function untraced(project: Project, module: SourceModule, reference: Reference, root: string): readonly Finding[] {
  const access = memberAccess(project, module, reference);
  const held = heldBy(project, module, root, [...reference.path, ...access.keys]);
  if (held === undefined || isFollowed(project, module, reference, access, held)) return [];
  const text = quote(module, access.node);
  const what =
    held.kind === "function" ? `${text} declares what a service is made of` : `${text} holds functions of fw`;
  return [
    {
      at: spanOf(module, access.node),
      message: `${what}, and fw cannot follow it ${whereto(access)}`,
      hint:
        held.kind === "function"
          ? `call ${held.name} by its name, or by another name that a const gives it: const … = ${held.name}`
          : "import the functions that you call by their names from fw",
    },
  ];
}

/** What a reference stands for, with the number of its members that are read of that. */
type Held =
  | { readonly kind: "function"; readonly name: string; readonly rest: readonly string[] }
  | { readonly kind: "holder" };

function heldBy(project: Project, module: SourceModule, root: string, keys: readonly string[]): Held | undefined {
  for (let length = 0; length <= keys.length; length += 1) {
    const referent = new ReferenceResolver(project).path(module, module.program, root, keys.slice(0, length));
    if (referent.kind === "fw" && isDeclarationName(referent.name))
      return { kind: "function", name: referent.name, rest: keys.slice(length) };
    if (length === keys.length) return holdsFunctions(project, referent) ? { kind: "holder" } : undefined;
  }
  return undefined;
}

/** Literals and modules inside each other that are still looked into. */
const deepest = 8;

function holdsFunctions(project: Project, referent: Referent, depth = 0): boolean {
  const holds = (inner: Referent): boolean =>
    (inner.kind === "fw" && isDeclarationName(inner.name)) ||
    (depth < deepest && holdsFunctions(project, inner, depth + 1));
  switch (referent.kind) {
    case "fw":
      return referent.name === "*";
    case "namespace":
      return exportsFunctions(project, referent.module, holds);
    case "expression": {
      const literal = unfrozen(referent.module, referent.node);
      const parts = partsOf(literal);
      return parts.some(
        (each) => isReference(each) && holds(new ReferenceResolver(project).resolve(referent.module, each)),
      );
    }
    default:
      return false;
  }
}

/** True for a module that exports functions of `fw`, or what holds some, whoever reads it. */
export function passesOn(project: Project, module: SourceModule): boolean {
  return holdsFunctions(project, { kind: "namespace", module });
}

function exportsFunctions(project: Project, module: SourceModule, holds: (inner: Referent) => boolean): boolean {
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

/** Members of a function that make another function of it. */
const bindings: ReadonlySet<string | undefined> = new Set(["bind", "call", "apply"]);

function isFollowed(project: Project, module: SourceModule, reference: Reference, access: Access, held: Held): boolean {
  if (held.kind === "function" && held.rest.length > 0) return !bindings.has(held.rest[0]);
  const { node, around, called } = access;
  if (called) return held.kind === "function";
  if (isLocalAlias(reference, access)) return !isExportedOfNamespace(around);
  return isKept(project, module, node, around);
}

/** True where nothing of a value is left, where it gets another name that is followed, or goes into a literal that does. */
function isKept(project: Project, module: SourceModule, node: ESTree.Node, around: Step): boolean {
  const outer = around.node;
  const up = (): boolean => around.parent !== undefined && isKept(project, module, outer, around.parent);
  if (isWrapper(outer)) return up();
  switch (outer.type) {
    case "ExpressionStatement":
    case "IfStatement":
    case "UnaryExpression":
    case "BinaryExpression":
    case "ExportDefaultDeclaration":
      return true;
    case "VariableDeclarator":
      return isNamed(project, module, outer, around);
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
      return unfrozen(module, outer) !== outer && up();
    default:
      return false;
  }
}

function isFunctionOfFw(project: Project, module: SourceModule, node: ESTree.Node): boolean {
  return new ReferenceResolver(project).resolve(module, node).kind === "fw";
}

/** True for a variable of the top level whose names all stand for what they are given. */
function isNamed(
  project: Project,
  module: SourceModule,
  declarator: ESTree.VariableDeclarator,
  { parent }: Step,
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

/** `export const` of a namespace: others read it as a member of the namespace. */
function isExportedOfNamespace({ parent }: Step): boolean {
  return parent?.parent?.node.type === "ExportNamedDeclaration";
}

/** Where the trail ends, after "fw cannot follow it". */
function whereto({ around: { node } }: Access): string {
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

/** True for an `import()` that functions of `fw` may be taken of: of `fw` itself, or of a module that passes them on. */
function isFrameworkLoaded(project: Project, module: SourceModule, reference: Reference): boolean {
  const specifier = typeof reference.root === "string" ? undefined : constantOf(project, module, reference.root);
  if (specifier?.ok !== true || typeof specifier.value !== "string") return false;
  const holder = loadedFrom(project, module, specifier.value);
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

function loadedFrom(project: Project, module: SourceModule, specifier: string): Referent | undefined {
  if (specifier === "fw") return { kind: "fw", name: "*" };
  const path = project.resolve(module.path, specifier);
  const target = path === undefined ? undefined : project.module(path);
  return target && { kind: "namespace", module: target };
}

/** What a module of the application exports under a name may hold functions in turn. */
function mayDeclare(holder: Referent, name: string): boolean {
  return holder.kind !== "fw" || isDeclarationName(name);
}

function loaded(module: SourceModule, { node }: Reference): Finding {
  return {
    at: spanOf(module, node),
    message: "functions of fw are imported when the code runs, and fw cannot follow what is declared with it",
    hint: "write an import at the top of the module",
  };
}
