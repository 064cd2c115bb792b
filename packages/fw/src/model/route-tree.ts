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

  /** Returns the values of the routes that match at least one request that `route` also matches. */
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
    const values: T[] = [];
    if (root !== undefined) addFitting(values, root, path === "/" ? "" : path);
    return values;
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

/** Adds the values below a node that match the rest of a path, which is empty or starts with a slash. */
function addFitting<T>(values: T[], { literals, param, values: own }: Node<T>, rest: string): void {
  if (rest === "") return void values.push(...own);
  const end = rest.indexOf("/", 1);
  const text = end < 0 ? rest.slice(1) : rest.slice(1, end);
  const after = end < 0 ? "" : rest.slice(end);
  const literal = literals.get(text.includes("%") ? percentDecoded(text) : text);
  if (literal !== undefined) addFitting(values, literal, after);
  if (param !== undefined && text !== "") addFitting(values, param, after);
}
