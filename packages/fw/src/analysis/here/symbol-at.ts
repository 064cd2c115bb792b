import type { ESTree } from "rolldown/utils";
import { declarationKey } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { Here } from "../../model/here.ts";
import type { DeclaredModule } from "../declared.ts";
import { siteUses } from "../renders/render-calls.ts";
import { sitesIn } from "../renders/renders.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { propertyName, unwrap } from "../source/expression.ts";
import type { SourceModule, SourceNode } from "../source/module.ts";
import { nodesAround } from "../source/nodes-around.ts";
import { offsetOf, spanOf, type Extent } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { type Reference, symbolsOf } from "../symbols/table.ts";

/** Describes the code at a position for an editor; undefined if fw has no description. */
export function symbolAt(
  project: Project,
  modules: ReadonlyMap<string, DeclaredModule>,
  { path, line, column }: Pick<Span, "path" | "line" | "column">,
): Here | undefined {
  const declaredModule = modules.get(path);
  if (declaredModule === undefined) return undefined;
  const around = nodesAround(declaredModule.module, { path, line, column, endLine: line, endColumn: column });
  const text = around.at(-1);
  const inText = text !== undefined && (text.type === "Literal" || text.type === "TemplateElement");
  if (inText)
    return (
      routeHere(declaredModule, around) ??
      redirectHere(project, declaredModule, around) ??
      templateHere(project, modules, declaredModule, around)
    );
  return declarationHere(project, modules, declaredModule.module, offsetOf(declaredModule.module, { line, column }));
}

type EnclosingNodes = readonly ESTree.Node[];

function declarationHere(
  project: Project,
  modules: ReadonlyMap<string, DeclaredModule>,
  module: SourceModule,
  offset: number,
): Here | undefined {
  const nameSite = nameAt(project, module, offset);
  if (nameSite === undefined) return undefined;
  const { module: holder, node } = nameSite.place;
  const declaration = modules.get(holder.path)?.declared.find(({ call }) => call.call === node);
  const variable = declaration?.call.variable;
  if (variable === undefined) return undefined;
  return { kind: "declaration", at: spanOf(module, nameSite.name), module: holder.path, variable };
}

function routeHere({ module, declared }: DeclaredModule, around: EnclosingNodes): Here | undefined {
  for (const { call, read } of declared) {
    const [route] = call.call.arguments;
    if (!read || !("route" in read) || route === undefined || !around.includes(route)) continue;
    const bound = read.types?.request.shape.bound ?? [];
    const params = bound.filter(({ source }) => source === "path").map(({ wire }) => wire);
    return { kind: "route", at: spanOf(module, route), params };
  }
  return undefined;
}

/** Recognizes a call of Redirect, or an entry in a Site's `redirects`. */
function redirectHere(
  project: Project,
  { module, declared }: DeclaredModule,
  around: EnclosingNodes,
): Here | undefined {
  const target = around.find((node, index) => {
    const outer = around[index - 1];
    if (outer?.type === "CallExpression") {
      const callee = outer.arguments[0] === node && new ReferenceResolver(project).resolve(module, outer.callee);
      return callee && callee.kind === "fw" && /^Redirect(?:Permanent)?$/.test(callee.name);
    }
    const setting = around[index - 3];
    if (outer?.type !== "Property" || outer.value !== node || setting?.type !== "Property") return false;
    const isOfSite = declared.some(({ call, read }) => read?.kind === "site" && around.includes(call.call));
    return isOfSite && propertyName(setting) === "redirects";
  });
  const text = target && textWithHoles(unwrap(target));
  return target && text !== undefined ? { kind: "redirect", at: spanOf(module, target), target: text } : undefined;
}

/** Returns the text of a literal or template, with `{}` for each expression; undefined for other nodes. */
function textWithHoles(node: ESTree.Node): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type !== "TemplateLiteral") return undefined;
  return node.quasis.map(({ value }) => value.cooked ?? value.raw).join("{}");
}

function templateHere(
  project: Project,
  modules: ReadonlyMap<string, DeclaredModule>,
  { module }: DeclaredModule,
  around: EnclosingNodes,
): Here | undefined {
  const sites = sitesIn([...modules.values()].flatMap(({ declared }) => declared));
  const { calls } = siteUses(project, new Map(Array.from(sites, ([node, { module: path }]) => [node, path])));
  for (const [node, declaration] of sites) {
    for (const { module: caller, call, templates = [] } of calls.get(node) ?? []) {
      const name = call.arguments[1];
      if (caller !== module || name === undefined || !around.includes(name)) continue;
      return { kind: "template", at: spanOf(module, name), site: declarationKey(declaration), names: templates };
    }
  }
  return undefined;
}

interface ResolvedName {
  readonly name: Extent;
  readonly place: SourceNode;
}

/**
 * Resolves the name at an offset: one that the module declares, imports or uses, or a member of a namespace. Undefined
 * if there is none, or if it does not lead to an expression.
 */
function nameAt(project: Project, module: SourceModule, offset: number): ResolvedName | undefined {
  const holds = (node: Extent): boolean => node.start <= offset && offset <= node.end;
  const resolve = (name: Extent, root: string, keys: readonly string[]): ResolvedName | undefined => {
    const referent = new ReferenceResolver(project).path(module, module.program, root, keys);
    return referent.kind === "expression" ? { name, place: referent } : undefined;
  };
  for (const binding of module.bindings.values())
    if (binding.kind === "variable" && holds(binding.node.id))
      return resolve(nameOf(binding.node.id), binding.name, []);
  for (const local of importedNames(module)) if (holds(local)) return resolve(local, local.name, []);
  for (const reference of symbolsOf(module).references) {
    if (reference.node.start > offset) break;
    const { root } = reference;
    const member = typeof root === "string" ? memberAt(reference, holds) : undefined;
    if (member && typeof root === "string") return resolve(member.name, root, member.keys);
  }
  return undefined;
}

/** Returns the range of a name without its type annotation. */
function nameOf(id: ESTree.Node): Extent {
  return id.type === "Identifier" ? { start: id.start, end: id.start + id.name.length } : id;
}

function importedNames({ program }: SourceModule): readonly ESTree.BindingIdentifier[] {
  return program.body.flatMap((statement) =>
    statement.type === "ImportDeclaration" ? statement.specifiers.map(({ local }) => local) : [],
  );
}

/**
 * Returns the name in `a.b.c` at the offset, with the keys that lead to it; undefined if the offset is outside these
 * names.
 */
function memberAt(
  { node, step, path }: Reference,
  holds: (node: Extent) => boolean,
): { readonly name: Extent; readonly keys: readonly string[] } | undefined {
  const keys = [...path];
  let name: ESTree.Node = node;
  let whole: ESTree.Node = node;
  let next: Reference["step"] | undefined = step;
  while (!holds(name)) {
    const member = next?.node;
    if (member?.type !== "MemberExpression" || member.object !== whole || member.computed) return undefined;
    if (member.property.type !== "Identifier") return undefined;
    name = member.property;
    whole = member;
    keys.push(member.property.name);
    next = next?.parent;
  }
  return { name, keys };
}
