import type { ESTree } from "rolldown/utils";
import { assertNever } from "../../lib/assert-never.ts";
import { keyOf, propertyName, quote, unwrapFrozen, unwrap } from "../source/expression.ts";
import type { Binding, SourceNode, SourceModule } from "../source/module.ts";
import type { Project } from "../source/project.ts";
import { chainOf, keysTo } from "../symbols/alias.ts";
import { isAssigned } from "../symbols/access.ts";
import { symbolsOf } from "../symbols/table.ts";
import { isDeclarationName } from "../../model/kinds.ts";
import { resolveExport, resolveName, type Resolved } from "./resolve-name.ts";

/** The meaning of an expression after its names and members are resolved. */
export type Referent =
  /** An expression that is neither a name nor a member. */
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
  /** The part of the expression that could not be resolved. */
  readonly at: ESTree.Node;
  /** The reason, as a phrase to put after a colon. */
  readonly why: string;
  /** The code that is the reason, if elsewhere. */
  readonly cause?: SourceNode;
}

/** Resolves references, but gives up after more steps than any application needs. */
export class ReferenceResolver {
  readonly project: Project;
  readonly #active = new Set<ESTree.Node>();
  #steps = 0;

  constructor(project: Project) {
    this.project = project;
  }

  /**
   * Counts one step; false after too many, because a chain of constants that each refer to the next one twice takes
   * exponential time.
   */
  step(): boolean {
    this.#steps += 1;
    return this.#steps <= mostSteps;
  }

  /** Resolves an expression in the top-level scope of a module. */
  resolve(module: SourceModule, node: ESTree.Node): Referent {
    const bare = unwrap(node);
    if (bare.type === "ConditionalExpression" || bare.type === "LogicalExpression") return this.#either(module, bare);
    if (!this.step()) return { kind: "unresolved", at: bare, why: "it takes too many steps to evaluate" };
    if (bare.type !== "Identifier" && bare.type !== "MemberExpression")
      return { kind: "expression", module, node: bare };
    if (this.#active.has(bare)) return { kind: "unresolved", at: bare, why: `${quote(module, bare)} refers to itself` };
    if (this.#active.size >= longestChain)
      return { kind: "unresolved", at: bare, why: "it goes through too many names" };
    this.#active.add(bare);
    const referent = bare.type === "Identifier" ? this.#name(module, bare) : this.#member(module, bare);
    this.#active.delete(bare);
    return referent;
  }

  /** Resolves a conditional or logical expression to the `fw` function that both sides name; else to itself. */
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

  /** Returns the referent of a resolved name; `at` in `module` is the reference to the name. */
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
          why: `${quote(module, at)} comes from "${resolved.specifier}", which is not a source file of this application`,
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

  #binding(from: SourceNode, module: SourceModule, binding: Binding): Referent {
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
        if (binding.mutable) return this.#unassigned(from, module, binding) ?? unresolved(canChange(binding));
        if (!binding.node.init) return unresolved(`\`${binding.name}\` has no value in the source`);
        return this.#follow(from, { module, node: binding.node.init });
      case "function":
        return unresolved(`\`${binding.name}\` is a function`);
      case "class":
        return unresolved(`\`${binding.name}\` is a class`);
      case "pattern": {
        const keys = keysTo(binding.node.id, binding.name);
        if (keys === undefined || !binding.node.init)
          return unresolved(`\`${binding.name}\` comes from a pattern; give it its own const`);
        if (binding.mutable) return this.#unassigned(from, module, binding) ?? unresolved(canChange(binding));
        return this.#members(from, this.resolve(module, binding.node.init), keys);
      }
      case "type":
        return unresolved(`\`${binding.name}\` is a type or a namespace`);
      default:
        return assertNever(binding);
    }
  }

  /** Resolves a `let` that is never reassigned, if it holds a function of `fw` or a namespace. */
  #unassigned(from: SourceNode, module: SourceModule, binding: Variable): Referent | undefined {
    const { init } = binding.node;
    const isChanged = symbolsOf(module).byName.get(binding.name)?.some(isAssigned) ?? false;
    if (!init || isChanged || !chainOf(init)) return undefined;
    const referent = this.#members(from, this.resolve(module, init), keysTo(binding.node.id, binding.name) ?? []);
    return referent.kind === "fw" || referent.kind === "namespace" ? referent : undefined;
  }

  /** Resolves the target of a reference. A failure is reported at the reference, with the target as its cause. */
  #follow(from: SourceNode, to: SourceNode): Referent {
    const referent = this.resolve(to.module, to.node);
    if (referent.kind !== "unresolved") return referent;
    return { ...referent, at: from.node, cause: referent.cause ?? { module: to.module, node: referent.at } };
  }

  /** Resolves members of a top-level name that the expression `at` reads. */
  path(module: SourceModule, at: ESTree.Node, name: string, keys: readonly string[]): Referent {
    const first = this.resolved(module, at, resolveName(this.project, module, name));
    return this.#members({ module, node: at }, first, keys);
  }

  #member(module: SourceModule, node: ESTree.MemberExpression): Referent {
    const object = this.resolve(module, node.object);
    const key = this.keyOf(module, node);
    if (object.kind === "unresolved") return { ...object, at: node };
    if (key === undefined)
      return { kind: "unresolved", at: node, why: `the key of ${quote(module, node)} is computed` };
    return this.#members({ module, node }, object, [key]);
  }

  /** Returns the name of the accessed member, which may come from a string constant; undefined if it is unknown. */
  keyOf(module: SourceModule, node: ESTree.MemberExpression): string | undefined {
    const key = keyOf(node);
    if (key !== undefined || !node.computed || !chainOf(node.property)) return key;
    const referent = this.resolve(module, node.property);
    const text = referent.kind === "expression" ? unwrap(referent.node) : undefined;
    return text?.type === "Literal" && typeof text.value === "string" ? text.value : undefined;
  }

  /** Resolves a member of an object that the expression `at` reads. */
  memberOf(at: SourceNode, object: Referent, key: string): Referent {
    return this.#memberOf(at, object, key);
  }

  #members(at: SourceNode, object: Referent, keys: readonly string[]): Referent {
    return keys.reduce((whole, key) => this.#memberOf(at, whole, key), object);
  }

  #memberOf({ module, node }: SourceNode, object: Referent, key: string): Referent {
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

  #property(from: SourceNode, object: SourceNode, key: string): Referent {
    this.project.relyOn(object);
    const value = this.property(object, key);
    if (value === undefined) return noMember(from.module, from.node);
    if ("why" in value) return { kind: "unresolved", at: from.node, why: value.why, cause: object };
    if ("kind" in value) return value;
    return this.#follow(from, value);
  }

  /** Returns the value of a literal's property, or why it is unknown; undefined if there is no such property. */
  property({ module, node }: SourceNode, key: string, depth = 0): PropertyValue | undefined {
    if (depth > maxSpreadDepth) return { why: "it has too many spreads" };
    const literal = unwrapFrozen(module, node);
    if (literal.type === "ArrayExpression") return element(module, literal, key);
    if (literal.type !== "ObjectExpression")
      return { why: `${quote(module, literal)} is not an object or array literal` };
    for (const property of literal.properties.toReversed()) {
      if (property.type === "SpreadElement") {
        const value = this.#spread(this.resolve(module, property.argument), key, depth + 1);
        if (value !== undefined) return value;
      } else {
        const name = propertyName(property);
        if (name === undefined) return { why: "it has computed keys" };
        if (name === key)
          return property.kind === "init" ? { module, node: property.value } : { why: `\`${key}\` is an accessor` };
      }
    }
    return undefined;
  }

  #spread(spread: Referent, key: string, depth: number): PropertyValue | undefined {
    if (spread.kind === "expression") return this.property(spread, key, depth);
    if (spread.kind === "fw" && spread.name === "*")
      return isDeclarationName(key) ? { kind: "fw", name: key } : undefined;
    if (spread.kind !== "namespace") return { why: "it has a spread that is not a literal" };
    const resolved = resolveExport(this.project, spread.module, key);
    const referent = resolved && this.resolved(spread.module, spread.module.program, resolved);
    return referent?.kind === "unresolved" ? { why: referent.why } : referent;
  }
}

type PropertyValue =
  | SourceNode
  | { readonly why: string }
  | Exclude<Referent, { readonly kind: "expression" | "unresolved" }>;

type Variable = Extract<Binding, { readonly kind: "variable" | "pattern" }>;

function canChange({ name }: Variable): string {
  return `\`${name}\` is a variable that can change; declare it with const`;
}

/** Maximum number of references behind one expression. */
const mostSteps = 10_000;
/** Maximum length of a chain of names. */
const longestChain = 200;
const maxSpreadDepth = 50;

/** Finds a member of an enum; if names repeat, the last one, as in the compiled object. Undefined for other names. */
export function enumMemberOf(
  { module, nodes }: Pick<EnumMember, "module" | "nodes">,
  name: string,
): EnumMember | undefined {
  const member = nodes.flatMap((node) => node.body.members).findLast((each) => enumName(each) === name);
  return member && { kind: "enum-member", module, nodes, member };
}

export function enumName(member: ESTree.TSEnumMember): string | undefined {
  if (member.id.type === "Identifier") return member.id.name;
  return member.id.type === "Literal" ? member.id.value : undefined;
}

function element(
  module: SourceModule,
  node: ESTree.ArrayExpression,
  key: string,
): SourceNode | { readonly why: string } | undefined {
  if (!/^\d{1,9}$/.test(key)) return { why: `\`${key}\` is not an index` };
  if (node.elements.some((each) => each?.type === "SpreadElement")) return { why: "it has a spread" };
  const found = node.elements[Number(key)];
  return found ? { module, node: found } : undefined;
}

function notExported(at: ESTree.Node, module: SourceModule, name: string): Unresolved {
  const binding = module.bindings.get(name);
  if (!binding) return { kind: "unresolved", at, why: `${module.path} has no \`${name}\`` };
  const cause = { module, node: bindingNode(binding) };
  return { kind: "unresolved", at, why: `${module.path} does not export \`${name}\``, cause };
}

function noMember(module: SourceModule, node: ESTree.Node): Unresolved {
  return { kind: "unresolved", at: node, why: `there is no ${quote(module, node)}` };
}

function bindingNode(binding: Binding): ESTree.Node {
  return "nodes" in binding ? (binding.nodes[0] as ESTree.Node) : binding.node;
}
