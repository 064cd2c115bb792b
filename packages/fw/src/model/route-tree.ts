import { percentDecoded } from "../lib/percent.ts";
import type { Route, Segment } from "./route.ts";

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  param: Node<T> | undefined;
  readonly values: T[];
}

/** Indexes routes by method and segments, to find overlapping routes without comparing all pairs. */
export class RouteTree<T> {
  readonly #methods = new Map<string, Node<T>>();

  add({ method, segments }: Route, value: T): void {
    let node = this.#methods.get(method) ?? empty<T>();
    this.#methods.set(method, node);
    for (const segment of segments) node = child(node, segment);
    node.values.push(value);
  }

  /** Returns the values of routes that match at least one request that `route` also matches, in insertion order. */
  overlapping({ method, segments }: Route): T[] {
    const root = this.#methods.get(method);
    let nodes = root ? [root] : [];
    for (const segment of segments) nodes = nodes.flatMap((node) => next(node, segment));
    return nodes.flatMap((node) => node.values);
  }

  /**
   * Returns the values of routes that match a request, most specific first: at each segment, a literal precedes a
   * parameter.
   */
  fitting(method: string, path: string): T[] {
    const root = this.#methods.get(method);
    let nodes = root ? [root] : [];
    for (const text of path === "/" ? [] : path.split("/").slice(1))
      nodes = nodes.flatMap((node) => taking(node, text));
    return nodes.flatMap((node) => node.values);
  }
}

function empty<T>(): Node<T> {
  return { literals: new Map(), param: undefined, values: [] };
}

function child<T>(node: Node<T>, segment: Segment): Node<T> {
  if ("param" in segment) return (node.param ??= empty());
  const known = node.literals.get(segment.literal) ?? empty<T>();
  node.literals.set(segment.literal, known);
  return known;
}

function next<T>({ literals, param }: Node<T>, segment: Segment): Node<T>[] {
  const fitting = "param" in segment ? [...literals.values()] : [literals.get(segment.literal)];
  return [...fitting, param].filter((node) => node !== undefined);
}

function taking<T>({ literals, param }: Node<T>, text: string): Node<T>[] {
  const literal = literals.get(percentDecoded(text));
  return [literal, text === "" ? undefined : param].filter((node) => node !== undefined);
}
