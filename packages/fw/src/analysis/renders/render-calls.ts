import type { ESTree } from "rolldown/utils";
import { unwrap } from "../source/expression.ts";
import { importersOf } from "../source/imports.ts";
import type { Binding, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { referencesIn } from "../source/references.ts";
import { type Step, walk } from "../source/walk.ts";
import { constantOf } from "../resolution/constant.ts";
import { ReferenceResolver } from "../resolution/reference-resolver.ts";
import { resolveName } from "../resolution/resolve-name.ts";

/** A call of `render` or `fragment` of a site. */
export interface RenderCall {
  readonly module: SourceModule;
  readonly call: ESTree.CallExpression;
  readonly callee: ESTree.MemberExpression;
  readonly method: "render" | "fragment";
  /** The names of templates it may pass, as far as the source determines them. */
  readonly templates: readonly string[] | undefined;
}

/** How the sites of an application are used, by the call that declares each. */
export interface SiteUses {
  readonly calls: ReadonlyMap<ESTree.Node, readonly RenderCall[]>;
  /** Sites that are passed on as values: others may render with them. */
  readonly handedOn: ReadonlySet<ESTree.Node>;
}

/** Every use of some sites, given with the paths of their modules, whatever names they are imported by. */
export function siteUses(project: Project, sites: ReadonlyMap<ESTree.Node, string>): SiteUses {
  const calls = new Map<ESTree.Node, RenderCall[]>();
  const handedOn = new Set<ESTree.Node>();
  for (const path of sites.size === 0 ? [] : [...importersOf(project, sites.values())].toSorted()) {
    const module = project.module(path);
    if (module) new Search(project, module, sites, calls, handedOn).run();
  }
  return { calls, handedOn };
}

/** What a name of the top level leads to: a site, or a module that may export one. */
type Lead = { readonly site: ESTree.Node } | "namespace";

class Search {
  readonly #project: Project;
  readonly #module: SourceModule;
  readonly #sites: ReadonlyMap<ESTree.Node, string>;
  readonly #calls: Map<ESTree.Node, RenderCall[]>;
  readonly #handedOn: Set<ESTree.Node>;
  readonly #leads: ReadonlyMap<string, Lead>;
  /** Names that were understood as part of something larger. */
  readonly #understood = new Set<ESTree.Node>();

  constructor(
    project: Project,
    module: SourceModule,
    sites: ReadonlyMap<ESTree.Node, string>,
    calls: Map<ESTree.Node, RenderCall[]>,
    handedOn: Set<ESTree.Node>,
  ) {
    this.#project = project;
    this.#module = module;
    this.#sites = sites;
    this.#calls = calls;
    this.#handedOn = handedOn;
    this.#leads = this.#importAliases();
  }

  run(): void {
    if (this.#leads.size === 0) return;
    const names = new Set([...this.#module.imports.keys(), ...this.#module.bindings.keys()]);
    walk(this.#module.program, names, (step) => this.#visit(step));
  }

  #importAliases(): ReadonlyMap<string, Lead> {
    const leads = new Map<string, Lead>();
    for (const name of [...this.#module.imports.keys(), ...variables(this.#module.bindings.values())]) {
      const resolved = resolveName(this.#project, this.#module, name);
      const referent = new ReferenceResolver(this.#project).resolved(this.#module, this.#module.program, resolved);
      if (referent.kind === "namespace") leads.set(name, "namespace");
      if (referent.kind === "expression" && this.#sites.has(referent.node)) leads.set(name, { site: referent.node });
    }
    return leads;
  }

  /** Whoever contains a name is visited before the name itself. */
  #visit(step: Step): void {
    const { node } = step;
    if (node.type === "CallExpression") this.#visitCall(step, node);
    else if (node.type === "MemberExpression") this.#visitMember(step, node);
    for (const name of referencesIn(node)) {
      const lead = this.#lead(step, name);
      if (typeof lead !== "object" || this.#understood.has(name) || isNaming(step)) continue;
      this.#handedOn.add(lead.site);
    }
  }

  #visitCall(step: Step, call: ESTree.CallExpression): void {
    const callee = unwrap(call.callee);
    if (callee.type !== "MemberExpression") return;
    const site = this.#siteAt(step, callee.object);
    const method = keyOf(callee);
    if (site === undefined || !(method === "render" || method === "fragment" || method === "markdown")) return;
    this.#understand(callee);
    if (method === "markdown") return;
    const found = this.#calls.get(site) ?? [];
    this.#calls.set(site, found);
    const templates = this.#names(step, call.arguments[1]);
    found.push({ module: this.#module, call, callee, method, templates });
  }

  /** `site.dir` says something of the site; `site.render` without a call, and `pages.site`, pass it on. */
  #visitMember(step: Step, member: ESTree.MemberExpression): void {
    const root = rootOf(member);
    if (root === undefined || this.#understood.has(root) || this.#lead(step, root) === undefined) return;
    const site = this.#siteAt(step, member) ?? this.#siteAt(step, member.object);
    if (site !== undefined && !isPlain(keyOf(member))) this.#handedOn.add(site);
    this.#understood.add(root);
  }

  #understand(member: ESTree.MemberExpression): void {
    const root = rootOf(member);
    if (root) this.#understood.add(root);
  }

  #siteAt(step: Step, node: ESTree.Node): ESTree.Node | undefined {
    const root = rootOf(node);
    if (root === undefined || this.#lead(step, root) === undefined) return undefined;
    const referent = new ReferenceResolver(this.#project).resolve(this.#module, node);
    return referent.kind === "expression" && this.#sites.has(referent.node) ? referent.node : undefined;
  }

  #lead(step: Step, name: { readonly name: string }): Lead | undefined {
    return step.shadowed.has(name.name) ? undefined : this.#leads.get(name.name);
  }

  #names(step: Step, node: ESTree.Node | undefined): readonly string[] | undefined {
    const bare = node && unwrap(node);
    if (bare === undefined || bare.type === "SpreadElement") return undefined;
    if (bare.type === "ConditionalExpression") {
      const [yes, no] = [this.#names(step, bare.consequent), this.#names(step, bare.alternate)];
      return yes && no && [...new Set([...yes, ...no])];
    }
    // A constant is worked out as at the top level, where a name hidden here means something else.
    if (step.shadowed.size > 0 && bare.type !== "Literal") return undefined;
    const constant = constantOf(this.#project, this.#module, bare);
    return constant.ok && typeof constant.value === "string" ? [constant.value] : undefined;
  }
}

function variables(bindings: Iterable<Binding>): readonly string[] {
  return [...bindings].flatMap((binding) => (binding.kind === "variable" && binding.node.init ? [binding.name] : []));
}

/** The first name of `a.b.c`. */
function rootOf(node: ESTree.Node): ESTree.IdentifierReference | undefined {
  let inner = unwrap(node);
  while (inner.type === "MemberExpression") inner = unwrap(inner.object);
  return inner.type === "Identifier" ? (inner as ESTree.IdentifierReference) : undefined;
}

function keyOf({ computed, property }: ESTree.MemberExpression): string | undefined {
  if (!computed) return property.type === "Identifier" ? property.name : undefined;
  return property.type === "Literal" && typeof property.value === "string" ? property.value : undefined;
}

function isPlain(key: string | undefined): boolean {
  return key === "dir" || key === "config" || key === "kind";
}

/** `export default site`, and `const other = site` at the top level, give it another name that is followed. */
function isNaming({ node, parent }: Step): boolean {
  if (node.type === "ExportDefaultDeclaration") return true;
  if (node.type !== "VariableDeclarator" || node.id.type !== "Identifier") return false;
  const [statement, around] = [parent?.node, parent?.parent?.node];
  if (statement?.type !== "VariableDeclaration" || statement.kind !== "const") return false;
  return around?.type === "Program" || around?.type === "ExportNamedDeclaration";
}
