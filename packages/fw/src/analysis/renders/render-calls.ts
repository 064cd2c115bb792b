import type { ESTree } from "rolldown/utils";
import { grouped } from "../../lib/grouped.ts";
import { unwrap } from "../source/expression.ts";
import { importersOf } from "../source/imports.ts";
import type { SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { type Access, accessOf, isLocalAlias } from "../symbols/access.ts";
import { walkNames } from "../symbols/names-in.ts";
import { type LexicalScope, scopeOf } from "../symbols/scope.ts";
import { type Reference, symbolsOf } from "../symbols/table.ts";
import { constantOf } from "../resolution/constant.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";

/** A call of a site's `render` or `fragment`. */
export interface RenderCall {
  readonly module: SourceModule;
  readonly call: ESTree.CallExpression;
  /** The method's name. */
  readonly at: ESTree.Node;
  readonly method: "render" | "fragment";
  /** The possible template names; undefined if the source does not show them. */
  readonly templates: readonly string[] | undefined;
}

export interface SiteUses {
  readonly calls: ReadonlyMap<ESTree.Node, readonly RenderCall[]>;
  /** Sites passed on as values, so that other code may render with them. */
  readonly passedOn: ReadonlySet<ESTree.Node>;
}

/** Finds all uses of sites, under any name. `sites` maps each declaring call to the path of its module. */
export function siteUses(project: Project, sites: ReadonlyMap<ESTree.Node, string>): SiteUses {
  const paths = sites.size === 0 ? [] : [...importersOf(project, sites.values())].toSorted();
  const searches = paths.flatMap((path) => {
    const module = project.module(path);
    return module ? [new SiteUseSearch(project, module, sites)] : [];
  });
  for (const search of searches) search.run();
  const calls = grouped(
    searches.flatMap((search) => search.calls),
    ({ site }) => site,
  );
  return { calls, passedOn: new Set(searches.flatMap(({ passedOn }) => passedOn)) };
}

class SiteUseSearch {
  readonly calls: (RenderCall & { readonly site: ESTree.Node })[] = [];
  readonly passedOn: ESTree.Node[] = [];
  readonly #project: Project;
  readonly #module: SourceModule;
  readonly #sites: ReadonlyMap<ESTree.Node, string>;

  constructor(project: Project, module: SourceModule, sites: ReadonlyMap<ESTree.Node, string>) {
    this.#project = project;
    this.#module = module;
    this.#sites = sites;
  }

  run(): void {
    for (const [name, references] of symbolsOf(this.#module).byName)
      if (this.#mayBeSite(name)) for (const reference of references) this.#visit(name, reference);
  }

  /** True for an alias of a site, and for a module that may export a site. */
  #mayBeSite(name: string): boolean {
    const referent = new ReferenceResolver(this.#project).path(this.#module, this.#module.program, name, []);
    return referent.kind === "namespace" || (referent.kind === "expression" && this.#sites.has(referent.node));
  }

  #visit(name: string, reference: Reference): void {
    const access = accessOf(reference);
    const siteAccess = this.#siteAt(name, [...reference.path, ...access.keys]);
    if (
      !siteAccess ||
      (siteAccess.keys.length === 0 && (isLocalAlias(reference, access) || isAliasDeclaration(access)))
    )
      return;
    const { site, keys } = siteAccess;
    const [method, ...rest] = keys;
    const isRendering = method === "render" || method === "fragment" || method === "markdown";
    if (!(isRendering && rest.length === 0 && access.isCalled)) {
      if (!isSetting(method)) this.passedOn.push(site);
    } else if (method !== "markdown") this.#add({ site, method }, reference, access);
  }

  /** Finds the site that a name, or the name with its first `keys`, refers to. Returns it with the remaining keys. */
  #siteAt(name: string, keys: readonly string[]): { site: ESTree.Node; keys: readonly string[] } | undefined {
    for (let length = 0; length <= keys.length; length += 1) {
      const resolver = new ReferenceResolver(this.#project);
      const referent = resolver.path(this.#module, this.#module.program, name, keys.slice(0, length));
      if (referent.kind === "expression" && this.#sites.has(referent.node))
        return { site: referent.node, keys: keys.slice(length) };
    }
    return undefined;
  }

  #add(
    siteCall: { readonly site: ESTree.Node; readonly method: RenderCall["method"] },
    { scope }: Reference,
    { node, around: { node: call } }: Access,
  ): void {
    if (call.type !== "CallExpression") return;
    const at = node.type === "MemberExpression" ? node.property : node;
    this.calls.push({ ...siteCall, module: this.#module, call, at, templates: this.#names(scope, call.arguments[1]) });
  }

  #names(scope: LexicalScope | undefined, node: ESTree.Node | undefined): readonly string[] | undefined {
    const bare = node && unwrap(node);
    if (bare === undefined || bare.type === "SpreadElement") return undefined;
    if (bare.type === "ConditionalExpression") {
      const [yes, no] = [this.#names(scope, bare.consequent), this.#names(scope, bare.alternate)];
      return yes && no && [...new Set([...yes, ...no])];
    }
    // A constant is evaluated at the top level, where a local name would mean something else.
    if (walkNames(bare).some((name) => scopeOf(scope, name))) return undefined;
    const constant = constantOf(this.#project, this.#module, bare);
    return constant.ok && typeof constant.value === "string" ? [constant.value] : undefined;
  }
}

function isSetting(key: string | undefined): boolean {
  return key === "dir" || key === "config" || key === "kind";
}

/** True for `export default site` and a top-level `const other = site`: both create an alias that is followed. */
function isAliasDeclaration({ around: { node, parent } }: Access): boolean {
  if (node.type === "ExportDefaultDeclaration") return true;
  if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier") return false;
  const [statement, outer] = [parent?.node, parent?.parent?.node];
  if (statement?.type !== "VariableDeclaration" || statement.kind !== "const") return false;
  return outer?.type === "Program" || outer?.type === "ExportNamedDeclaration";
}
