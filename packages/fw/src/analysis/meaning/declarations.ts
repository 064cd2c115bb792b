import type { ESTree } from "rolldown/utils";
import { declarationKinds, type DeclarationName } from "../../model/kinds.ts";
import { isExported } from "../source/exports.ts";
import { unwrap } from "../source/expression.ts";
import type { Binding, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { type Step, walk } from "../source/walk.ts";
import { type Located, Locator } from "./locate.ts";
import { lookup } from "./meaning.ts";
import { type Placement, placementOf } from "./placement.ts";

/** A call of a declaration function of `fw`, wherever it is written. */
export interface DeclarationCall {
  readonly name: DeclarationName;
  readonly module: SourceModule;
  readonly call: ESTree.CallExpression;
  readonly placement: Placement;
  /** The variable that holds it, when it is one of the top level. */
  readonly variable?: string;
  /** True when the module exports that variable, under any name. */
  readonly exported: boolean;
  /** For an argument: the declaration that it is an argument of, when it is one. */
  readonly inside?: DeclarationName;
}

/** Every declaration of a module, in source order: also by other names, and where none can stand. */
export function declarationsIn(project: Project, module: SourceModule): readonly DeclarationCall[] {
  const names = leadingNames(project, module);
  if (names.size === 0) return [];
  const found: DeclarationCall[] = [];
  walk(module.program, names, (step) => {
    const declared = (node: ESTree.Node): DeclarationName | undefined =>
      node.type === "CallExpression" ? calledName(project, module, names, step, node) : undefined;
    const name = declared(step.node);
    if (name !== undefined) found.push(describe(module, step, name, declared));
  });
  return found.toSorted((one, other) => one.call.start - other.call.start);
}

function describe(
  module: SourceModule,
  step: Step,
  name: DeclarationName,
  declared: (node: ESTree.Node) => DeclarationName | undefined,
): DeclarationCall {
  const { placement, variable, call } = placementOf(step);
  const inside = call && declared(call);
  return {
    name,
    module,
    call: step.node as ESTree.CallExpression,
    placement,
    ...(variable === undefined ? {} : { variable }),
    exported: variable !== undefined && isExported(module, variable),
    ...(inside === undefined ? {} : { inside }),
  };
}

/** The declaration function that a call calls. */
function calledName(
  project: Project,
  module: SourceModule,
  names: ReadonlySet<string>,
  step: Step,
  call: ESTree.CallExpression,
): DeclarationName | undefined {
  const callee = unwrap(call.callee);
  const root = rootName(callee);
  if (root === undefined || !names.has(root) || step.shadowed.has(root)) return undefined;
  return declarationFunction(new Locator(project).locate(module, callee));
}

/** The first name of `a.b.c`. */
function rootName(node: ESTree.Node): string | undefined {
  let inner = unwrap(node);
  while (inner.type === "MemberExpression") inner = unwrap(inner.object);
  return inner.type === "Identifier" ? inner.name : undefined;
}

function declarationFunction(located: Located): DeclarationName | undefined {
  return located.kind === "fw" && isDeclarationName(located.name) ? located.name : undefined;
}

function isDeclarationName(name: string): name is DeclarationName {
  return Object.hasOwn(declarationKinds, name);
}

/** Names of the top level that a declaration function may be reached through. Most files have none, or one. */
function leadingNames(project: Project, module: SourceModule): ReadonlySet<string> {
  if (module.imports.size === 0) return new Set();
  const own = [...module.bindings.values()].filter((binding) => mayLead(binding)).map((binding) => binding.name);
  return new Set([...module.imports.keys(), ...own].filter((name) => leads(project, module, name)));
}

function leads(project: Project, module: SourceModule, name: string): boolean {
  const meaning = lookup(project, module, name);
  switch (meaning.kind) {
    case "fw":
      return meaning.name === "*" || isDeclarationName(meaning.name);
    case "namespace":
      return passesOn(meaning.module);
    case "binding":
      return mayLead(meaning.binding) && meaning.module.imports.size > 0;
    case "expression":
      return isReference(meaning.node) || meaning.node.type === "ObjectExpression";
    default:
      return false;
  }
}

/** True when a module exports something that it does not plainly declare. */
function passesOn(module: SourceModule): boolean {
  if (module.stars.length > 0) return true;
  return [...module.exports.values()].some((each) => {
    const binding = each.kind === "local" ? module.bindings.get(each.name) : undefined;
    return binding === undefined || mayLead(binding);
  });
}

/** `const A = API`, `const lib = { API }` and `const { API } = fw` lead to what they name. */
function mayLead(binding: Binding): boolean {
  if (binding.kind === "pattern") return binding.key !== undefined;
  if (binding.kind !== "variable" || !binding.node.init) return false;
  const init = unwrap(binding.node.init);
  if (init.type !== "ObjectExpression") return isReference(init);
  return init.properties.some((each) => each.type === "SpreadElement" || isReference(each.value));
}

function isReference(node: ESTree.Node): boolean {
  const bare = unwrap(node);
  return bare.type === "Identifier" || bare.type === "MemberExpression";
}
