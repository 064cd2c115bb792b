import type { ESTree } from "rolldown/utils";
import { constantOf } from "../resolution/constant.ts";
import { resolveExport, resolveName, type Resolved } from "../resolution/resolve-name.ts";
import { propertyName, unwrapFrozen } from "../source/expression.ts";
import type { Binding, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { chainOf, keysTo, type Chain } from "../symbols/alias.ts";
import { partNamed } from "./parts.ts";
import type { PartReference } from "./references.ts";

/** A top-level binding of a module, with the members read from it. */
export interface Target {
  readonly module: string;
  /** `default` for a default-exported expression; "" for the module itself. */
  readonly name: string;
  readonly keys: readonly string[];
}

/** The target of code that starts transactions; it belongs to no module. */
export const transactions: Target = { module: "fw", name: "transaction", keys: [] };

/** Maximum length of a chain of names; real applications stay far below. */
const longestChain = 200;

/**
 * Resolves a reference to its targets, through imports, re-exports, namespaces, constants and literals. The module
 * of each alias along the way is also a target, with the name "".
 */
export function targetsOf(
  project: Project,
  module: SourceModule,
  { root, keys }: Pick<PartReference, "root" | "keys">,
): readonly Target[] {
  const search = new TargetSearch(project);
  if (typeof root === "string") search.name(module, root, keys);
  else search.loaded(module, root, keys);
  return search.targets;
}

/** Finds the module that an `import()` loads; undefined for computed specifiers, packages and missing files. */
export function loadedBy(project: Project, module: SourceModule, source: ESTree.Expression): SourceModule | undefined {
  const specifier = constantOf(project, module, source);
  if (!specifier.ok || typeof specifier.value !== "string") return undefined;
  const path = project.resolve(module.path, specifier.value);
  return path === undefined ? undefined : project.module(path);
}

class TargetSearch {
  readonly targets: Target[] = [];
  readonly #project: Project;
  readonly #expanded = new Set<SourceModule>();
  #depth = 0;

  constructor(project: Project) {
    this.#project = project;
  }

  name(module: SourceModule, name: string, keys: readonly string[]): void {
    this.#resolved(resolveName(this.#project, module, name), keys);
  }

  loaded(module: SourceModule, source: ESTree.Expression, keys: readonly string[]): void {
    const target = loadedBy(this.#project, module, source);
    if (target) return this.#namespace(target, keys);
    const specifier = constantOf(this.#project, module, source);
    if (specifier.ok && specifier.value === "fw") this.#framework(keys);
  }

  #resolved(resolved: Resolved, keys: readonly string[]): void {
    if (this.#depth >= longestChain) return;
    this.#depth += 1;
    this.#follow(resolved, keys);
    this.#depth -= 1;
  }

  #follow(resolved: Resolved, keys: readonly string[]): void {
    switch (resolved.kind) {
      case "namespace":
        return this.#namespace(resolved.module, keys);
      case "expression":
        return this.#constantValue(resolved.module, "default", resolved.node, keys);
      case "binding":
        return this.#binding(resolved.module, resolved.binding, keys);
      case "external":
        // The default export is an anonymous function.
        if (resolved.module && resolved.name === "default") this.#add(resolved.module, "default", keys);
        return;
      case "fw":
        return this.#framework([resolved.name, ...keys].filter((key) => key !== "*"));
      default:
    }
  }

  /** Adds `transaction`, the only function of fw, apart from declarations, that affects what a service needs. */
  #framework([name]: readonly string[]): void {
    if (name === undefined || name === transactions.name) this.targets.push(transactions);
  }

  /** Adds a member of a namespace. Without keys, the namespace itself is passed on, so any member may be read. */
  #namespace(module: SourceModule, keys: readonly string[]): void {
    const [name, ...rest] = keys;
    if (name === undefined) return this.#everything(module);
    const resolved = resolveExport(this.#project, module, name);
    if (resolved) this.#resolved(resolved, rest);
    else this.#add(module, name, rest);
  }

  #everything(module: SourceModule): void {
    if (this.#expanded.has(module)) return;
    this.#expanded.add(module);
    for (const name of module.exports.keys()) this.#namespace(module, [name]);
    if (!module.exports.has("default")) this.#add(module, "default", []);
    for (const specifier of module.stars) {
      const path = this.#project.resolve(module.path, specifier);
      const star = path === undefined ? undefined : this.#project.module(path);
      if (star) this.#everything(star);
    }
  }

  #binding(module: SourceModule, binding: Binding, keys: readonly string[]): void {
    const { name } = binding;
    const declarator = binding.kind === "variable" || binding.kind === "pattern" ? binding.node : undefined;
    if (declarator?.type !== "VariableDeclarator" || !declarator.init) return this.#add(module, name, keys);
    const isMutable = binding.kind === "variable" && binding.mutable;
    if (binding.kind === "variable" && !isMutable) return this.#constantValue(module, name, declarator.init, keys);
    const chain = partNamed(module, name) ? undefined : chainOf(declarator.init);
    if (chain) this.#chain(module, chain, [...(keysTo(declarator.id, name) ?? []), ...keys]);
    else this.#add(module, name, keys);
  }

  /** Adds what a constant refers to: the target of an alias, the member of a literal, or the constant itself. */
  #constantValue(module: SourceModule, name: string, node: ESTree.Node, keys: readonly string[]): void {
    const chain = chainOf(node);
    if (chain) return this.#chain(module, chain, keys);
    const [key, ...rest] = keys;
    const member = key === undefined ? undefined : plainMember(module, node, key);
    const inner = member && chainOf(member);
    if (inner) this.#chain(module, inner, rest);
    else this.#add(module, name, keys);
  }

  #chain(module: SourceModule, { root, keys: first }: Chain, keys: readonly string[]): void {
    const all = [...first, ...keys];
    this.#add(module, "", []);
    if (root.type === "Identifier") this.name(module, root.name, all);
    else this.loaded(module, root.source, all);
  }

  #add({ path }: SourceModule, name: string, keys: readonly string[]): void {
    this.targets.push({ module: path, name, keys });
  }
}

/**
 * Returns the value of a member in a literal with only plain members, the last one if names repeat; undefined
 * otherwise.
 */
export function plainMember(module: SourceModule, node: ESTree.Node, key: string): ESTree.Node | undefined {
  const literal = unwrapFrozen(module, node);
  if (literal.type !== "ObjectExpression") return undefined;
  let value: ESTree.Node | undefined;
  for (const property of literal.properties) {
    const name = property.type === "Property" ? propertyName(property) : undefined;
    if (property.type !== "Property" || name === undefined) return undefined;
    if (name === key) value = property.kind === "init" ? property.value : undefined;
  }
  return value;
}
