import type { ESTree } from "rolldown/utils";
import { declarationKey } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { Here } from "../../model/here.ts";
import type { DeclaredModule } from "../declared.ts";
import { siteUses } from "../renders/render-calls.ts";
import { sitesIn } from "../renders/renders.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { propertyName, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { nodesAround } from "../source/nodes-around.ts";
import { offsetOf, spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { nameAt } from "./name-at.ts";

/** What a place of an application's source is about; undefined where that is nothing of fw's. */
export function hereIn(
  project: Project,
  modules: ReadonlyMap<string, DeclaredModule>,
  { path, line, column }: Pick<Span, "path" | "line" | "column">,
): Here | undefined {
  const known = modules.get(path);
  if (known === undefined) return undefined;
  const around = nodesAround(known.module, { path, line, column, endLine: line, endColumn: column });
  const text = around.at(-1);
  const inText = text !== undefined && (text.type === "Literal" || text.type === "TemplateElement");
  if (inText)
    return (
      routeHere(known, around) ?? redirectHere(project, known, around) ?? templateHere(project, modules, known, around)
    );
  return declarationHere(project, modules, known.module, offsetOf(known.module, { line, column }));
}

type Around = readonly ESTree.Node[];

function declarationHere(
  project: Project,
  modules: ReadonlyMap<string, DeclaredModule>,
  module: SourceModule,
  offset: number,
): Here | undefined {
  const named = nameAt(project, module, offset);
  if (named === undefined) return undefined;
  const { module: holder, node } = named.place;
  const declared = modules.get(holder.path)?.declared.find(({ call }) => call.call === node);
  const variable = declared?.call.variable;
  if (variable === undefined) return undefined;
  return { kind: "declaration", at: spanOf(module, named.name), module: holder.path, variable };
}

function routeHere({ module, declared }: DeclaredModule, around: Around): Here | undefined {
  for (const { call, read } of declared) {
    const [route] = call.call.arguments;
    if (!read || !("route" in read) || route === undefined || !around.includes(route)) continue;
    const bound = read.types?.request.shape.bound ?? [];
    const params = bound.filter(({ source }) => source === "path").map(({ wire }) => wire);
    return { kind: "route", at: spanOf(module, route), params };
  }
  return undefined;
}

/** In a call of Redirect, or among the redirects of a Site. */
function redirectHere(project: Project, { module, declared }: DeclaredModule, around: Around): Here | undefined {
  const target = around.find((node, index) => {
    const outer = around[index - 1];
    if (outer?.type === "CallExpression") {
      const called = outer.arguments[0] === node && new ReferenceResolver(project).resolve(module, outer.callee);
      return called && called.kind === "fw" && /^Redirect(?:Permanent)?$/.test(called.name);
    }
    const setting = around[index - 3];
    if (outer?.type !== "Property" || outer.value !== node || setting?.type !== "Property") return false;
    const isOfSite = declared.some(({ call, read }) => read?.kind === "site" && around.includes(call.call));
    return isOfSite && propertyName(setting) === "redirects";
  });
  const text = target && textWithHoles(unwrap(target));
  return target && text !== undefined ? { kind: "redirect", at: spanOf(module, target), target: text } : undefined;
}

/** A text, with `{}` for what is worked out. */
function textWithHoles(node: ESTree.Node): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type !== "TemplateLiteral") return undefined;
  return node.quasis.map(({ value }) => value.cooked ?? value.raw).join("{}");
}

function templateHere(
  project: Project,
  modules: ReadonlyMap<string, DeclaredModule>,
  { module }: DeclaredModule,
  around: Around,
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
