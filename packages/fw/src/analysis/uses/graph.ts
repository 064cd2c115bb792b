import type { App } from "../../model/app.ts";
import { declarationKey } from "../../model/declarations.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { Use } from "../../model/uses.ts";
import type { LinkedModule, LinkedPart } from "./links.ts";
import type { Node } from "./reach.ts";
import { transactions } from "./targets.ts";
import { resourcesOf, type Resource } from "../../model/resources.ts";
import { operationsOf } from "./named-operations.ts";

/**
 * Parts of modules, and modules that are loaded, with what they do and where they lead. A module is loaded where something of it
 * is reached: what is imported without a use does not get into a service, unless a module imports it for its effects alone.
 */
export interface Graph {
  readonly nodes: readonly Node[];
  /** The node of the part that binds a name, by `declarationKey`. */
  readonly parts: ReadonlyMap<string, number>;
  /** The node of a module that is loaded, by path. */
  readonly modules: ReadonlyMap<string, number>;
}

/** A use as text, which sorts by kind, name and operation. No name has the separator in it. */
export function textOf({ kind, name }: Resource, operation: string): string {
  return `${kind}\0${name}\0${operation}`;
}

/** A use from its text. */
export function useOf(text: string): Omit<Use, "at"> {
  const [kind = "", name = "", operation = ""] = text.split("\0");
  return { kind: kind as Use["kind"], name, operation };
}

/** What stands for transactions among the uses of a part: no resource has this kind. */
export const transacting = "transaction\0\0";

export function graphOf(app: App, linked: readonly LinkedModule[]): Graph {
  const places = placesOf(linked);
  const resources = resourcesOf(app);
  const forEffects = new Set(linked.flatMap(({ bare }) => bare));
  const nodes = linked.flatMap((module) => [
    loading(places, module, forEffects),
    everything(places, module),
    ...module.parts.map((part) => running(places, resources, part)),
  ]);
  return { nodes, ...places };
}

type Places = Omit<Graph, "nodes">;

/** Each module has a node, the next for everything that it imports, and then those of its parts. */
function placesOf(linked: readonly LinkedModule[]): Places {
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

/** A module that is loaded runs its statements. */
function loading({ modules }: Places, { path, parts, imports }: LinkedModule, forEffects: ReadonlySet<string>): Node {
  const first = (modules.get(path) ?? 0) + 2;
  const effects = parts.flatMap(({ effect }, index) => (effect ? [first + index] : []));
  const others = imports.filter((path) => forEffects.has(path)).flatMap((path) => modules.get(path) ?? []);
  return { uses: new Map(), next: [...effects, ...others] };
}

/** A module that is loaded by `import()` keeps all of its exports, and so whatever it imports. */
function everything({ modules }: Places, { path, imports }: LinkedModule): Node {
  const own = modules.get(path);
  const others = imports.flatMap((path) => modules.get(path) ?? []).map((node) => node + 1);
  return { uses: new Map(), next: own === undefined ? others : [own, ...others] };
}

/** What a part does with resources, and the parts that it leads to. */
function running({ modules, parts }: Places, resources: ReadonlyMap<string, Resource>, part: LinkedPart): Node {
  const uses = new Map<string, Span>();
  const next = new Set<number>();
  for (const path of part.loads) add(next, modules.get(path), 1);
  for (const { module, name, keys, at } of part.links) {
    const key = declarationKey({ module, variable: name });
    const resource = resources.get(key);
    add(next, modules.get(module));
    if (module === transactions.module) note(uses, transacting, at);
    if (resource) for (const operation of operationsOf(resource, keys)) note(uses, textOf(resource, operation), at);
    else add(next, parts.get(key));
  }
  return { uses, next: [...next] };
}

function add(nodes: Set<number>, node: number | undefined, offset = 0): void {
  if (node !== undefined) nodes.add(node + offset);
}

function note(uses: Map<string, Span>, use: string, at: Span): void {
  if (!uses.has(use)) uses.set(use, at);
}
