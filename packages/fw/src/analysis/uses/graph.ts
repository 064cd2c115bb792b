import type { App } from "../../model/app.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { Use } from "../../model/uses.ts";
import type { LinkedModule, LinkedPart } from "./links.ts";
import type { Node } from "./reach.ts";
import { transactions } from "./targets.ts";
import { resourcesOf, type Resource, operations } from "../../model/resources.ts";

/**
 * The parts of modules, and whole modules, with their uses and edges. A module loads if one of its parts is reached, an
 * `import()` loads it, or it is imported for side effects: bundlers drop all other imports.
 */
export interface Graph {
  readonly nodes: readonly Node[];
  /** The node of the part that binds a name, by `declarationKey`. */
  readonly parts: ReadonlyMap<string, number>;
  /** The node of a module's load, by path. */
  readonly modules: ReadonlyMap<string, number>;
}

/** Encodes a use as a string that sorts by kind, name and operation. No name contains the separator. */
export function useKey({ kind, name }: Resource, operation: string): string {
  return `${kind}\0${name}\0${operation}`;
}

export function useOf(text: string): Omit<Use, "at"> {
  const [kind = "", name = "", operation = ""] = text.split("\0");
  return { kind: kind as Use["kind"], name, operation };
}

/** The operation of a send with a key, which replaces the message with that key. No method has this name. */
const replaceOperation = "replace";

/** Stands for transactions among the uses of a part; no resource has this kind. */
export const transacting = "transaction\0\0";

/** Stands for reads that include referenced documents. */
export const referring = "refer\0\0";

export function graphOf(app: App, linked: readonly LinkedModule[]): Graph {
  const places = numberNodes(linked);
  const resources = resourcesOf(app);
  const forEffects = new Set(linked.flatMap(({ sideEffectImports }) => sideEffectImports));
  const nodes = linked.flatMap((module) => [
    loadNode(places, module, forEffects),
    allImportsNode(places, module),
    ...module.parts.map((part) => partNode(places, resources, part)),
  ]);
  return { nodes, ...places };
}

type NodeNumbers = Omit<Graph, "nodes">;

/** Numbers the nodes: one for each module's load, one for all of its imports, then one for each part. */
function numberNodes(linked: readonly LinkedModule[]): NodeNumbers {
  const modules = new Map<string, number>();
  const parts = new Map<string, number>();
  let count = 0;
  for (const { path, parts: own } of linked) {
    modules.set(path, count);
    count += 2;
    for (const { names } of own) {
      for (const name of names) parts.set(declarationKey({ module: path, variable: name }), count);
      count += 1;
    }
  }
  return { modules, parts };
}

/** Builds the node for a module's load, which runs its statements. */
function loadNode(
  { modules }: NodeNumbers,
  { path, parts, imports }: LinkedModule,
  forEffects: ReadonlySet<string>,
): Node {
  const first = (modules.get(path) ?? 0) + 2;
  const effects = parts.flatMap(({ effect }, index) => (effect ? [first + index] : []));
  const others = imports.filter((path) => forEffects.has(path)).flatMap((path) => modules.get(path) ?? []);
  return { uses: new Map(), next: [...effects, ...others] };
}

/** Builds the node for a module loaded with `import()`, which keeps all exports and so all imports. */
function allImportsNode({ modules }: NodeNumbers, { path, imports }: LinkedModule): Node {
  const own = modules.get(path);
  const others = imports.flatMap((path) => modules.get(path) ?? []).map((node) => node + 1);
  return { uses: new Map(), next: own === undefined ? others : [own, ...others] };
}

/** Builds the node for a part, with its uses of resources and the parts it refers to. */
function partNode({ modules, parts }: NodeNumbers, resources: ReadonlyMap<string, Resource>, part: LinkedPart): Node {
  const uses = new Map<string, Span>();
  const next = new Set<number>();
  if (part.referredRead) addUse(uses, referring, part.referredRead);
  for (const path of part.loads) add(next, modules.get(path), 1);
  for (const { module, name, keys, at } of part.links) {
    const key = declarationKey({ module, variable: name });
    const resource = resources.get(key);
    add(next, modules.get(module));
    if (module === transactions.module) addUse(uses, transacting, at);
    if (resource)
      for (const operation of operationsOf(resource, keys, part.sendsWithKey))
        addUse(uses, useKey(resource, operation), at);
    else add(next, parts.get(key));
  }
  return { uses, next: [...next] };
}

function add(nodes: Set<number>, node: number | undefined, offset = 0): void {
  if (node !== undefined) nodes.add(node + offset);
}

function addUse(uses: Map<string, Span>, use: string, at: Span): void {
  if (!uses.has(use)) uses.set(use, at);
}

/**
 * Lists the operations that a reference may use: all of them if the resource is passed on or read by a computed key.
 */
function operationsOf({ kind }: Resource, [key, method]: readonly string[], sendsWithKey: boolean): readonly string[] {
  const all = operations[kind];
  const isKeyed = kind === "queue" && sendsWithKey && (key === undefined || key === "send");
  if (isKeyed) return [...all.filter((name) => key === undefined || name === key), replaceOperation];
  if (key === undefined) return all;
  return kind === "users"
    ? all.filter((operation) => isOf(operation, key, method))
    : all.filter((name) => name === key);
}

/** True if a member names the operation. Only operations of `users` have no prefix such as `tokens.`. */
function isOf(operation: string, property: string, method: string | undefined): boolean {
  const [owner, name] = operation.includes(".") ? operation.split(".") : ["users", operation];
  return owner === property && (method === undefined || method === name);
}
