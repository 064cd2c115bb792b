import type { ESTree } from "rolldown/utils";
import { descriptionOf } from "../../model/kinds.ts";
import type { DeclaredCall } from "../declared.ts";
import type { Finding } from "../rule.ts";
import { isWrapper, propertyName, unwrap } from "../source/expression.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { chainOf, originOf } from "../symbols/alias.ts";
import { constantUses, parameterUses, type ParameterUse, type PlacedArgument } from "../symbols/parameters.ts";
import { scopeOf, type LexicalScope } from "../symbols/scope.ts";
import type { NodePath } from "../symbols/table.ts";
import { keyAt } from "../queries/report.ts";
import { calleesOf, functionOf, type Callee, type PlacedFunction } from "../uses/callees.ts";
import {
  stateOfHandler,
  tenantVariable,
  variableIn,
  type ContextState,
  type SeparatedData,
  type TenantData,
} from "./data.ts";
import { asInsideRequest, outsideOfTenant, tenantReadOutside } from "./findings.ts";

/** A parameter that receives contexts, with the parameters that its function passes them to. */
interface FlowNode {
  readonly placed: PlacedFunction;
  readonly index: number;
  readonly next: Set<FlowNode>;
  /** True if the function uses tenant data with this parameter. */
  usesData: boolean;
}

/** A constant in an inner scope that holds a function. */
export interface LocalFunction {
  readonly module: SourceModule;
  readonly scope: LexicalScope;
  readonly name: string;
}

/** The data that each query reads, by the location of the reading method (`keyAt`). */
export type QueriedData = ReadonlyMap<string, readonly SeparatedData[]>;

/**
 * Follows contexts from handlers through the application's functions and tracks the tenant of each. Records the calls
 * that use tenant data with such a context; a use outside the data's tenant is also a finding.
 */
export class TenantFlow {
  /** Calls on tenant data with a followed context. Calls outside the data's tenant are also findings. */
  readonly proven: Set<ESTree.Node> = new Set();
  /** The arguments that the analysis followed: contexts, and functions that receive them. */
  readonly followedArguments: Set<ESTree.Node> = new Set();
  readonly findings: Finding[] = [];
  /** Queries with a followed context, like `proven`, by their keys in `QueriedData`. */
  readonly provenQueries: Set<string> = new Set();
  /** Functions that receive contexts, with the inner-scope constants that hold them. */
  readonly locals: Map<ESTree.Node, LocalFunction> = new Map();
  readonly #project: Project;
  readonly #data: TenantData;
  readonly #queried: QueriedData;
  readonly #nodes = new Map<string, FlowNode>();
  readonly #ids = new Map<ESTree.Node, number>();
  readonly #waiting: (() => void)[] = [];

  constructor(project: Project, data: TenantData, queried: QueriedData) {
    this.#project = project;
    this.#data = data;
    this.#queried = queried;
  }

  /** Follows the context that a declaration's handlers receive. */
  handler(entry: DeclaredCall): void {
    const state = stateOfHandler(this.#data, entry);
    const { read } = entry;
    if (state === undefined || read === undefined || read.kind === "misplaced") return;
    const { module, call } = entry.call;
    const index = descriptionOf(read.kind).handler ?? 0;
    for (const node of [call.arguments[index], invalidOf(call)]) {
      const fn = node && functionOf(this.#project, { module, node, scope: undefined });
      if (node && fn) this.#enter(undefined, fn, 0, state);
      if (node) this.followedArguments.add(node);
    }
  }

  follow(): void {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) next();
  }

  /** Lists the parameters from which a context may reach tenant data. */
  sensitive(): readonly FlowNode[] {
    const all = [...this.#nodes.values()];
    const reaching = new Set(all.filter(({ usesData }) => usesData));
    for (let size = -1; size !== reaching.size;) {
      size = reaching.size;
      for (const node of all) if ([...node.next].some((next) => reaching.has(next))) reaching.add(node);
    }
    return [...reaching];
  }

  #enter(from: FlowNode | undefined, placed: PlacedFunction, index: number, state: ContextState): void {
    const key = [this.#idOf(placed.fn), index, state.inside, state.isOperator].join(" ");
    let node = this.#nodes.get(key);
    if (node === undefined) {
      const added: FlowNode = (node = { placed, index, next: new Set(), usesData: false });
      this.#nodes.set(key, added);
      this.#waiting.push(() => this.#read(added, state));
    }
    from?.next.add(node);
  }

  #idOf(node: ESTree.Node): number {
    const id = this.#ids.get(node) ?? this.#ids.size;
    this.#ids.set(node, id);
    return id;
  }

  #read(node: FlowNode, state: ContextState): void {
    const { module, fn } = node.placed;
    this.#uses(node, module, parameterUses(module, fn, node.index), state);
  }

  #uses(node: FlowNode, module: SourceModule, uses: readonly ParameterUse[], state: ContextState): void {
    // An assignment may put another context into the variable.
    if (uses.some(({ kind }) => kind === "assigned")) return;
    for (const use of uses) {
      if (use.kind === "argument") this.#pass(node, module, use.argument, state);
      else if (use.kind === "member" && use.name === "tenant" && state.inside === undefined)
        this.findings.push(tenantReadOutside(spanOf(module, use.node), state));
    }
  }

  #pass(node: FlowNode, module: SourceModule, argument: PlacedArgument, state: ContextState): void {
    const { call, index, scope } = argument;
    const context = call.arguments[index];
    if (context) this.followedArguments.add(context);
    if (index === 0) this.#readQuery(node, module, call, state);
    for (const callee of calleesOf(this.#project, module, argument)) {
      if (callee.kind === "binding") {
        if (index === 0) this.#operate(node, module, argument, callee, state);
        continue;
      }
      this.#enter(node, callee, callee.index, state);
      const run = call.arguments[1];
      const isRun = run && functionOf(this.#project, { module, node: call.callee, scope }) === undefined;
      if (isRun) this.followedArguments.add(run);
      const local = localFunction(module, isRun ? run : call.callee, scope);
      if (local) this.locals.set(callee.fn, local);
    }
  }

  #readQuery(node: FlowNode, module: SourceModule, call: ESTree.CallExpression, state: ContextState): void {
    const method = unwrap(call.callee);
    if (method.type !== "MemberExpression") return;
    const key = keyAt(spanOf(module, method.property));
    for (const data of this.#queried.get(key) ?? []) {
      this.provenQueries.add(key);
      this.#use(node, { module, call, data, what: `a query of ${data.variable}` }, state);
    }
  }

  /** Follows a context into an operation of a declaration. */
  #operate(
    node: FlowNode,
    module: SourceModule,
    argument: PlacedArgument,
    { key, operation }: Extract<Callee, { kind: "binding" }>,
    state: ContextState,
  ): void {
    const data = this.#data.data.get(key);
    const tenants = this.#data.tenants.get(key);
    const { call } = argument;
    if (data && operation !== undefined && operation !== "query")
      this.#use(node, { module, call, data, what: `${data.variable}.${operation}()` }, state);
    if (tenants === undefined || (operation !== "as" && operation !== "enter")) return;
    if (operation === "as" && !state.isOperator)
      this.findings.push(asInsideRequest(spanOf(module, call), variableIn(key), state));
    const inside = {
      inside: tenants,
      isOperator: false,
      origin: `${state.origin}, by ${variableIn(key)}.${operation}()`,
    };
    this.#followResult(node, module, argument, inside);
  }

  #use(
    node: FlowNode,
    {
      module,
      call,
      data,
      what,
    }: { module: SourceModule; call: ESTree.CallExpression; data: SeparatedData; what: string },
    state: ContextState,
  ): void {
    if (data.tenants === undefined) return;
    node.usesData = true;
    this.proven.add(call);
    if (state.inside === data.tenants) return;
    const tenant = tenantVariable(this.#data, data.tenants);
    this.findings.push(outsideOfTenant(spanOf(module, call), what, data, { state, tenant }));
  }

  /** Follows the context that `as` or `enter` returns, into a constant or directly into a call. */
  #followResult(node: FlowNode, module: SourceModule, { call, path }: PlacedArgument, state: ContextState): void {
    let value: ESTree.Node = call;
    let outer: NodePath | undefined = path.parent;
    while (outer && (isWrapper(outer.node) || outer.node.type === "AwaitExpression")) {
      value = outer.node;
      outer = outer.parent;
    }
    if (outer?.node.type === "VariableDeclarator" && outer.node.id.type === "Identifier") {
      const { name } = outer.node.id;
      // A second `var` of this name may hold another context.
      if (scopeOf(outer.scope, name)?.names.get(name)?.kind === "var") return;
      return this.#uses(node, module, constantUses(module, name, outer.scope), state);
    }
    if (outer?.node.type !== "CallExpression") return;
    const { node: target, scope } = outer;
    const index = target.arguments.findIndex((each) => each === value);
    if (index !== -1 && target.arguments.slice(0, index).every(({ type }) => type !== "SpreadElement"))
      this.#pass(node, module, { call: target, index, scope, path: outer }, state);
  }
}

/** Returns the inner-scope constant that holds a function; undefined for other expressions. */
function localFunction(
  module: SourceModule,
  node: ESTree.Node,
  scope: LexicalScope | undefined,
): LocalFunction | undefined {
  const chain = chainOf(node);
  const origin = chain && originOf(chain.root, scope);
  if (origin?.scope === undefined || origin.root.type !== "Identifier" || origin.keys.length > 0) return undefined;
  return { module, scope: origin.scope, name: origin.root.name };
}

/** Returns the `invalid` handler from a page's config; undefined if there is none. */
function invalidOf({ arguments: [, , config] }: ESTree.CallExpression): ESTree.Node | undefined {
  const literal = config && unwrap(config);
  if (literal?.type !== "ObjectExpression") return undefined;
  const property = literal.properties.find((each) => each.type === "Property" && propertyName(each) === "invalid");
  return property?.type === "Property" ? property.value : undefined;
}
