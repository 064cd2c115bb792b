import type { ESTree } from "rolldown/utils";
import type { App, Declaration, Endpoint } from "../../model/app.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import { descriptionOf } from "../../model/kinds.ts";
import type { DeclaredModule } from "../declared.ts";
import type { SourceModule } from "../source/module.ts";
import { spanOf } from "../source/position.ts";
import type { Project } from "../source/project.ts";
import { parameterUses, type Argument } from "../symbols/parameters.ts";
import { calleesOf, functionOf, type Callee, type PlacedFunction } from "./callees.ts";
import type { Node } from "./reach.ts";

/** The key of a use that may identify the user. Other keys are endpoints called with the context. */
export const identifiesUser = "";

/**
 * The context members that do not depend on the user. Every other member, including future ones, may identify the user.
 */
export const impersonalMembers = [
  "client",
  "log",
  "isHTMX",
  "htmx",
  "wantsFragment",
  "origin",
  "now",
  "signal",
  "requestId",
] as const;
type Calls = ReadonlyMap<string, { readonly module: SourceModule; readonly call: ESTree.CallExpression }>;

interface OpenNode extends Node {
  readonly uses: Map<string, Span>;
  readonly next: number[];
}

/**
 * Follows request contexts from handlers into the functions that receive them. Anything except reading impersonal
 * members or calling declarations counts as identifying the user.
 */
export class ContextFlow {
  readonly #project: Project;
  readonly #declarations: ReadonlyMap<string, Declaration>;
  readonly #calls: Calls;
  readonly #nodes: OpenNode[] = [];
  readonly #nodesByFunction = new Map<ESTree.Node, Map<number, number>>();
  readonly #waiting: (() => void)[] = [];

  constructor(project: Project, { packages }: App, modules: readonly DeclaredModule[]) {
    const all = packages.flatMap(({ declarations }) => declarations);
    this.#project = project;
    this.#declarations = new Map(all.map((declared) => [declarationKey(declared.declaration), declared]));
    this.#calls = new Map(modules.flatMap(callsIn));
  }

  /** Returns the node for the context of an endpoint's handler. */
  handler({ kind, declaration }: Endpoint): number {
    const { module, call } = this.#calls.get(declarationKey(declaration)) ?? {};
    const argument = call?.arguments[descriptionOf(kind).handler ?? 0];
    const node = this.#add();
    if (!module || !argument) return node;
    const handler = functionOf(this.#project, { module, node: argument, scope: undefined });
    if (handler) this.#addEdge(node, handler, 0);
    else this.#markIdentifying(node, module, argument);
    return node;
  }

  follow(): readonly Node[] {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) next();
    return this.#nodes;
  }

  #add(): number {
    return this.#nodes.push({ uses: new Map(), next: [] }) - 1;
  }

  #addEdge(from: number, placed: PlacedFunction, index: number): void {
    const own = this.#nodesByFunction.get(placed.fn) ?? new Map<number, number>();
    this.#nodesByFunction.set(placed.fn, own);
    let to = own.get(index);
    if (to === undefined) {
      const added = (to = this.#add());
      own.set(index, added);
      this.#waiting.push(() => this.#read(added, placed, index));
    }
    this.#nodes[from]?.next.push(to);
  }

  #read(node: number, { module, fn }: PlacedFunction, index: number): void {
    for (const use of parameterUses(module, fn, index)) {
      if (use.kind === "assigned") continue;
      if (use.kind === "argument") this.#passArgument(node, module, use.argument);
      else if (use.kind === "other" || !isImpersonal(use.name)) this.#markIdentifying(node, module, use.node);
    }
  }

  #passArgument(node: number, module: SourceModule, argument: Argument): void {
    const callees = calleesOf(this.#project, module, argument);
    if (callees.length === 0) this.#markIdentifying(node, module, argument.call);
    for (const callee of callees) {
      if (callee.kind === "function") this.#addEdge(node, callee, callee.index);
      else if (!this.#isKnownUse(node, module, argument, callee)) this.#markIdentifying(node, module, argument.call);
    }
  }

  /** True if fw knows what a declaration does with a context. Records the call of an endpoint. */
  #isKnownUse(
    node: number,
    module: SourceModule,
    { call, index }: Argument,
    { key, operation }: Extract<Callee, { kind: "binding" }>,
  ): boolean {
    const declared = this.#declarations.get(key);
    if (!declared) return false;
    if (!("route" in declared)) return runsNothing(declared);
    if (operation !== "call" || index !== 0) return false;
    this.#nodes[node]?.uses.set(key, spanOf(module, call));
    return true;
  }

  #markIdentifying(node: number, module: SourceModule, at: ESTree.Node): void {
    this.#nodes[node]?.uses.set(identifiesUser, spanOf(module, at));
  }
}

function callsIn({ declared }: DeclaredModule): [string, DeclaredModule["declared"][number]["call"]][] {
  return declared.flatMap(({ call, read }) =>
    read && "declaration" in read ? [[declarationKey(read.declaration), call]] : [],
  );
}

function isImpersonal(name: string): boolean {
  return (impersonalMembers as readonly string[]).includes(name);
}

/**
 * True for declarations that only store, send or count: their operations pass the context to the framework and run no
 * application code.
 */
function runsNothing({ kind }: Declaration): boolean {
  const { use, shared, handler } = descriptionOf(kind);
  return handler === undefined && (use !== undefined || shared === true);
}
