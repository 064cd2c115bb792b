import type { App } from "../../model/app.ts";
import type { Span } from "../../model/diagnostic.ts";
import type { Use } from "../../model/uses.ts";
import type { LinkedModule, LinkedPart } from "./links.ts";
import type { Node } from "./reach.ts";
import { keyOf, operationsOf, resourcesOf, type Resource } from "./resources.ts";

/** Parts of modules, and modules being loaded, with what they do and where they lead. */
export interface Graph {
  readonly nodes: readonly Node[];
  /** The node of the part that binds a name, by `keyOf`. */
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

export function graphOf(app: App, linked: readonly LinkedModule[]): Graph {
  const modules = new Map<string, number>();
  const parts = new Map<string, number>();
  let count = 0;
  for (const { path, parts: own } of linked) {
    modules.set(path, count++);
    for (const { names } of own) {
      for (const name of names) parts.set(keyOf(path, name), count);
      count += 1;
    }
  }
  const resources = resourcesOf(app);
  const nodes = linked.flatMap((module) => {
    const first = (modules.get(module.path) ?? 0) + 1;
    return [loading(module, first, modules), ...module.parts.map((part) => nodeOf(part))];
  });
  return { nodes, parts, modules };

  /** What a part does with resources, and the parts that it leads to. */
  function nodeOf(part: LinkedPart): Node {
    const uses = new Map<string, Span>();
    const next = new Set<number>(part.loads.flatMap((path) => modules.get(path) ?? []));
    for (const { module: path, name, keys, at } of part.links) {
      const key = keyOf(path, name);
      const resource = resources.get(key);
      const target = parts.get(key);
      if (resource) for (const operation of operationsOf(resource, keys)) note(uses, textOf(resource, operation), at);
      else if (target !== undefined) next.add(target);
    }
    return { uses, next: [...next] };
  }
}

function note(uses: Map<string, Span>, use: string, at: Span): void {
  if (!uses.has(use)) uses.set(use, at);
}

/** A module that is loaded loads others, and runs its statements. */
function loading({ parts, imports }: LinkedModule, first: number, modules: ReadonlyMap<string, number>): Node {
  const effects = parts.flatMap(({ effect }, index) => (effect ? [first + index] : []));
  return { uses: new Map(), next: [...effects, ...imports.flatMap((path) => modules.get(path) ?? [])] };
}
