import type { ESTree } from "rolldown/utils";
import { assertNever } from "../../lib/assert-never.ts";
import { keyOf, propertyName, quote, unfrozen, unwrap } from "../source/expression.ts";
import type { Binding, Place, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { chainOf, keysTo } from "../symbols/alias.ts";
import { isAssigned } from "../symbols/access.ts";
import { symbolsOf } from "../symbols/table.ts";
import { isDeclarationName } from "../../model/kinds.ts";
import { resolveExport, resolveName, type Resolved } from "./resolve-name.ts";

/** What an expression stands for, once the names and members it is made of are followed. */
export type Referent =
  /** An expression that is no name and no member. */
  | { readonly kind: "expression"; readonly module: SourceModule; readonly node: ESTree.Node }
  | EnumMember
  | { readonly kind: "enum"; readonly module: SourceModule; readonly nodes: readonly ESTree.TSEnumDeclaration[] }
  | { readonly kind: "namespace"; readonly module: SourceModule }
  /** An export of `fw`; `*` for all of them. */
  | { readonly kind: "fw"; readonly name: string }
  | { readonly kind: "undefined" }
  | Unresolved;

export interface EnumMember {
  readonly kind: "enum-member";
  readonly module: SourceModule;
  readonly nodes: readonly ESTree.TSEnumDeclaration[];
  readonly member: ESTree.TSEnumMember;
}

interface Unresolved {
  readonly kind: "unresolved";
  /** The part of the expression asked about that leads nowhere. */
  readonly at: ESTree.Node;
  /** A phrase that follows a colon. */
  readonly why: string;
  /** What it comes down to, when that stands elsewhere. */
  readonly cause?: Place;
}

/** Follows references, and gives up after a number of steps that no application needs. */
export class ReferenceResolver {
  readonly project: Project;
  readonly #following = new Set<ESTree.Node>();
  #steps = 0;

  constructor(project: Project) {
    this.project = project;
  }

  /** Counts one step; false when there were too many. Doubling constants would else take forever. */
  step(): boolean {
    this.#steps += 1;
    return this.#steps <= mostSteps;
  }

  /** Names mean what they mean at the top level of the module. */
  resolve(module: SourceModule, node: ESTree.Node): Referent {
    const bare = unwrap(node);
    if (bare.type === "ConditionalExpression" || bare.type === "LogicalExpression") return this.#either(module, bare);
    if (!this.step()) return { kind: "unresolved", at: bare, why: "it takes too many steps to work out" };
    if (bare.type !== "Identifier" && bare.type !== "MemberExpression")
      return { kind: "expression", module, node: bare };
    if (this.#following.has(bare))
      return { kind: "unresolved", at: bare, why: `${quote(module, bare)} refers to itself` };
    if (this.#following.size >= longestChain)
      return { kind: "unresolved", at: bare, why: "it goes through too many names" };
    this.#following.add(bare);
    const found = bare.type === "Identifier" ? this.#name(module, bare) : this.#member(module, bare);
    this.#following.delete(bare);
    return found;
  }

  /** Whichever side is taken, it is the same function of `fw`. */
  #either(module: SourceModule, node: ESTree.ConditionalExpression | ESTree.LogicalExpression): Referent {
    const whole: Referent = { kind: "expression", module, node };
    const sides = node.type === "LogicalExpression" ? [node.left, node.right] : [node.consequent, node.alternate];
    if (!sides.every((each) => chainOf(each)) || !this.step()) return whole;
    const [one, other] = sides.map((each) => this.resolve(module, each));
    return one?.kind === "fw" && other?.kind === "fw" && one.name === other.name ? one : whole;
  }

  #name(module: SourceModule, node: ESTree.Node & { readonly name: string }): Referent {
    return this.resolved(module, node, resolveName(this.project, module, node.name));
  }

  /** What a resolved name comes down to, for the reference `at` in `module`. */
  resolved(module: SourceModule, at: ESTree.Node, resolved: Resolved): Referent {
    switch (resolved.kind) {
      case "fw":
      case "namespace":
        return resolved;
      case "expression":
        return this.#follow({ module, node: at }, { module: resolved.module, node: resolved.node });
      case "external":
        if (resolved.module) return notExported(at, resolved.module, resolved.name);
        return {
          kind: "unresolved",
          at,
          why: `${quote(module, at)} comes from "${resolved.specifier}", which is not source of this application`,
        };
      case "unknown":
        if (resolved.name === "undefined") return { kind: "undefined" };
        return {
          kind: "unresolved",
          at,
          why:
            resolved.name in globalThis
              ? `${quote(module, at)} is only known at run time`
              : `${quote(module, at)} is not declared in this file`,
        };
      case "binding":
        return this.#binding({ module, node: at }, resolved.module, resolved.binding);
      default:
        return assertNever(resolved);
    }
  }

  #binding(from: Place, module: SourceModule, binding: Binding): Referent {
    const unresolved = (why: string): Unresolved => ({
      kind: "unresolved",
      at: from.node,
      why,
      cause: { module, node: bindingNode(binding) },
    });
    switch (binding.kind) {
      case "enum":
        return { kind: "enum", module, nodes: binding.nodes };
      case "variable":
        if (binding.mutable) return this.#unchanged(from, module, binding) ?? unresolved(canChange(binding));
        if (!binding.node.init) return unresolved(`\`${binding.name}\` has no value in the source`);
        return this.#follow(from, { module, node: binding.node.init });
      case "function":
        return unresolved(`\`${binding.name}\` is a function`);
      case "class":
        return unresolved(`\`${binding.name}\` is a class`);
      case "pattern": {
        const keys = keysTo(binding.node.id, binding.name);
        if (keys === undefined || !binding.node.init)
          return unresolved(`\`${binding.name}\` is taken out of a pattern; give it a const of its own`);
        if (binding.mutable) return this.#unchanged(from, module, binding) ?? unresolved(canChange(binding));
        return this.#taken(from, this.resolve(module, binding.node.init), keys);
      }
      case "type":
        return unresolved(`\`${binding.name}\` is a type or a namespace`);
      default:
        return assertNever(binding);
    }
  }

  /** A function of `fw` has no other name by a variable that nothing is assigned to. */
  #unchanged(from: Place, module: SourceModule, binding: Variable): Referent | undefined {
    const { init } = binding.node;
    const isChanged = symbolsOf(module).byName.get(binding.name)?.some(isAssigned) ?? false;
    if (!init || isChanged || !chainOf(init)) return undefined;
    const found = this.#taken(from, this.resolve(module, init), keysTo(binding.node.id, binding.name) ?? []);
    return found.kind === "fw" || found.kind === "namespace" ? found : undefined;
  }

  /** What stands behind a reference; when that is lost, the reference is, and it says where. */
  #follow(from: Place, to: Place): Referent {
    const found = this.resolve(to.module, to.node);
    if (found.kind !== "unresolved") return found;
    return { ...found, at: from.node, cause: found.cause ?? { module: to.module, node: found.at } };
  }

  /** What a name of a module's top level leads to by the members that `at` reads of it. */
  path(module: SourceModule, at: ESTree.Node, name: string, keys: readonly string[]): Referent {
    const first = this.resolved(module, at, resolveName(this.project, module, name));
    return this.#taken({ module, node: at }, first, keys);
  }

  #member(module: SourceModule, node: ESTree.MemberExpression): Referent {
    const object = this.resolve(module, node.object);
    const key = this.keyOf(module, node);
    if (object.kind === "unresolved") return { ...object, at: node };
    if (key === undefined)
      return { kind: "unresolved", at: node, why: `the key of ${quote(module, node)} is computed` };
    return this.#taken({ module, node }, object, [key]);
  }

  /** The name of the member that is read, also by a constant that is a text. */
  keyOf(module: SourceModule, node: ESTree.MemberExpression): string | undefined {
    const key = keyOf(node);
    if (key !== undefined || !node.computed || !chainOf(node.property)) return key;
    const found = this.resolve(module, node.property);
    const text = found.kind === "expression" ? unwrap(found.node) : undefined;
    return text?.type === "Literal" && typeof text.value === "string" ? text.value : undefined;
  }

  /** What the member of an object means that `at` reads. */
  memberOf(at: Place, object: Referent, key: string): Referent {
    return this.#part(at, object, key);
  }

  /** What a reference means that takes a property out of an object, and of that the next. */
  #taken(at: Place, object: Referent, keys: readonly string[]): Referent {
    return keys.reduce((whole, key) => this.#part(at, whole, key), object);
  }

  #part({ module, node }: Place, object: Referent, key: string): Referent {
    switch (object.kind) {
      case "unresolved":
        return { ...object, at: node };
      case "fw":
        return object.name === "*" ? { kind: "fw", name: key } : noMember(module, node);
      case "namespace":
        return this.#export(module, node, object.module, key);
      case "expression":
        return this.#property({ module, node }, object, key);
      case "enum":
        return enumMemberOf(object, key) ?? noMember(module, node);
      case "enum-member":
      case "undefined":
        return noMember(module, node);
      default:
        return assertNever(object);
    }
  }

  #export(module: SourceModule, node: ESTree.Node, from: SourceModule, key: string): Referent {
    const resolved = resolveExport(this.project, from, key);
    if (resolved) return this.resolved(module, node, resolved);
    return notExported(node, from, key);
  }

  #property(from: Place, object: Place, key: string): Referent {
    this.project.relyOn(object);
    const value = this.property(object, key);
    if (value === undefined) return noMember(from.module, from.node);
    if ("why" in value) return { kind: "unresolved", at: from.node, why: value.why, cause: object };
    if ("kind" in value) return value;
    return this.#follow(from, value);
  }

  /** The value of a property of an object or array literal; undefined when it has none of that name. */
  property({ module, node }: Place, key: string, depth = 0): Held | undefined {
    if (depth > deepestSpread) return { why: "it holds too many spreads" };
    const literal = unfrozen(module, node);
    if (literal.type === "ArrayExpression") return element(module, literal, key);
    if (literal.type !== "ObjectExpression") return { why: `${quote(module, literal)} is no object or array literal` };
    for (const property of literal.properties.toReversed()) {
      if (property.type === "SpreadElement") {
        const found = this.#spread(this.resolve(module, property.argument), key, depth + 1);
        if (found !== undefined) return found;
      } else {
        const name = propertyName(property);
        if (name === undefined) return { why: "it has computed keys" };
        if (name === key)
          return property.kind === "init" ? { module, node: property.value } : { why: `\`${key}\` is an accessor` };
      }
    }
    return undefined;
  }

  #spread(spread: Referent, key: string, depth: number): Held | undefined {
    if (spread.kind === "expression") return this.property(spread, key, depth);
    if (spread.kind === "fw" && spread.name === "*")
      return isDeclarationName(key) ? { kind: "fw", name: key } : undefined;
    if (spread.kind !== "namespace") return { why: "it holds a spread that is not a literal" };
    const resolved = resolveExport(this.project, spread.module, key);
    const found = resolved && this.resolved(spread.module, spread.module.program, resolved);
    return found?.kind === "unresolved" ? { why: found.why } : found;
  }
}

/** What a literal holds under a name. */
type Held = Place | { readonly why: string } | Exclude<Referent, { readonly kind: "expression" | "unresolved" }>;

type Variable = Extract<Binding, { readonly kind: "variable" | "pattern" }>;

function canChange({ name }: Variable): string {
  return `\`${name}\` is a variable that can change; declare it with const`;
}

/** References in one expression and everything behind it. */
const mostSteps = 10_000;
/** Names that lead to names. */
const longestChain = 200;
/** Spreads that lead to spreads. */
const deepestSpread = 50;

/** The member of an enum; the last one of its name, as in the object it compiles to. */
export function enumMemberOf(
  { module, nodes }: Pick<EnumMember, "module" | "nodes">,
  name: string,
): EnumMember | undefined {
  const member = nodes.flatMap((node) => node.body.members).findLast((each) => enumName(each) === name);
  return member && { kind: "enum-member", module, nodes, member };
}

/** The name of an enum's member. */
export function enumName(member: ESTree.TSEnumMember): string | undefined {
  if (member.id.type === "Identifier") return member.id.name;
  return member.id.type === "Literal" ? member.id.value : undefined;
}

function element(
  module: SourceModule,
  node: ESTree.ArrayExpression,
  key: string,
): Place | { readonly why: string } | undefined {
  if (!/^\d{1,9}$/.test(key)) return { why: `\`${key}\` is not an index` };
  if (node.elements.some((each) => each?.type === "SpreadElement")) return { why: "it holds a spread" };
  const found = node.elements[Number(key)];
  return found ? { module, node: found } : undefined;
}

function notExported(at: ESTree.Node, module: SourceModule, name: string): Unresolved {
  const binding = module.bindings.get(name);
  if (!binding) return { kind: "unresolved", at, why: `${module.path} exports no \`${name}\`` };
  const cause = { module, node: bindingNode(binding) };
  return { kind: "unresolved", at, why: `${module.path} does not export \`${name}\``, cause };
}

function noMember(module: SourceModule, node: ESTree.Node): Unresolved {
  return { kind: "unresolved", at: node, why: `there is no ${quote(module, node)}` };
}

function bindingNode(binding: Binding): ESTree.Node {
  return "nodes" in binding ? (binding.nodes[0] as ESTree.Node) : binding.node;
}
