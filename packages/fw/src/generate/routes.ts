import { everyMethod, longestFirst, mountedAt } from "../model/mounts.ts";
import type { Route } from "../model/route.ts";
import { text } from "./text.ts";

/** The maximum number of literals to compare one by one. More are looked up in a map, in constant time. */
const comparedLiterals = 4;

/** A node of the trie. A pattern without segments has one empty literal. */
interface Node {
  readonly literals: Map<string, Node>;
  wildcard: Node | undefined;
  endpoint: number | undefined;
}

/**
 * Generates the module that exports `match(method, path, params)`, which returns the index of a route, or -1 if none
 * matches. A literal takes precedence over a parameter, starting with the leftmost segment. If nothing matches below a
 * literal, matching falls back to the parameter.
 */
export function generateRoutes(routes: readonly Route[]): string {
  const mounts = mountLines(routes);
  const methods = triesByMethod(routes);
  const functions: string[] = [];
  const cases = [...methods].map(
    ([method, root]) => `    case ${text(method)}: return ${nodeFunction(root, [], functions)}(path, params, 1);`,
  );
  return [
    `import { matchEncoded } from "fw/runtime";`,
    `export function match(method, path, params) {`,
    `  return path.includes("%") ? matchEncoded(plain, method, path, params) : plain(method, path, params);`,
    `}`,
    ...(mounts.length === 0 ? [] : wholeMatcher(mounts)),
    `function ${mounts.length === 0 ? "plain" : "routed"}(method, path, params) {`,
    `  if (path.charCodeAt(0) !== 47) return -1;`,
    `  switch (method) {`,
    ...cases,
    `    default: return -1;`,
    `  }`,
    `}`,
    ...functions,
    ``,
  ].join("\n");
}

/** Generates the matching of mounts, for paths that no route matches. */
function wholeMatcher(mounts: readonly string[]): readonly string[] {
  return [
    `function plain(method, path, params) {`,
    `  const found = routed(method, path, params);`,
    `  if (found !== -1) return found;`,
    ...mounts,
    `  return -1;`,
    `}`,
  ];
}

function mountLines(routes: readonly Route[]): readonly string[] {
  const mounts = [...routes.entries()].filter(([, { method }]) => method === everyMethod);
  return longestFirst(mounts, ([, route]) => route).map(([index, route]) => {
    const path = mountedAt(route)
      .map((name) => `/${name}`)
      .join("");
    if (path === "") return `  if (path.charCodeAt(0) === 47) return ${index};`;
    return `  if (path.startsWith(${text(path)}) && (path.length === ${path.length} || path.charCodeAt(${path.length}) === 47)) return ${index};`;
  });
}

function triesByMethod(routes: readonly Route[]): Map<string, Node> {
  const methods = new Map<string, Node>();
  for (const [index, route] of routes.entries()) {
    if (route.method === everyMethod) continue;
    let node = getOrAdd(methods, route.method);
    const segments = route.segments.length === 0 ? [{ literal: "" }] : route.segments;
    for (const segment of segments)
      node = "literal" in segment ? getOrAdd(node.literals, segment.literal) : (node.wildcard ??= emptyNode());
    node.endpoint ??= index;
  }
  return methods;
}

function emptyNode(): Node {
  return { literals: new Map(), wildcard: undefined, endpoint: undefined };
}

function getOrAdd(nodes: Map<string, Node>, key: string): Node {
  let node = nodes.get(key);
  if (node === undefined) nodes.set(key, (node = emptyNode()));
  return node;
}

/**
 * Generates a node's function and returns its name. The function matches from offset `s`. `captured` lists the
 * parameters so far.
 */
function nodeFunction(node: Node, captured: readonly string[], functions: string[]): string {
  const name = `n${functions.length}`;
  const position = functions.push("") - 1;
  const ends = lastSegment(node, captured, name);
  const continues = innerSegment(node, captured, name, functions);
  functions[position] = [
    ...ends.tables,
    ...continues.tables,
    `function ${["path", "params", "s", ...boundsOf(captured)].join(", ").replace(/^/, `${name}(`)}) {`,
    `  const e = path.indexOf("/", s);`,
    `  if (e === -1) {`,
    ...ends.lines,
    `    return -1;`,
    `  }`,
    ...continues.lines,
    `  return -1;`,
    `}`,
  ].join("\n");
  return name;
}

interface Code {
  /** Module-level lookup tables. */
  readonly tables: readonly string[];
  readonly lines: readonly string[];
}

/** Generates code that matches the last segment: a literal first, then a parameter. */
function lastSegment(node: Node, captured: readonly string[], name: string): Code {
  const ending = [...node.literals].flatMap(([literal, child]) =>
    child.endpoint === undefined ? [] : [[literal, child.endpoint] as const],
  );
  const wildcard = node.wildcard?.endpoint;
  const lines = [];
  const tables = [];
  if (ending.length > comparedLiterals) {
    tables.push(
      `const ${name}e = new Map(${table(ending.map(([literal, endpoint]) => [literal, String(endpoint)]))});`,
    );
    lines.push(
      `    const i = ${name}e.get(path.slice(s));`,
      `    if (i !== undefined) { ${capture(captured)}return i; }`,
    );
  } else if (ending.length > 0) {
    lines.push(`    const t = path.slice(s);`);
    for (const [literal, endpoint] of ending)
      lines.push(`    if (t === ${text(literal)}) { ${capture(captured)}return ${endpoint}; }`);
  }
  if (wildcard !== undefined) {
    lines.push(`    if (s < path.length) { ${capture(captured, "path.slice(s)")}return ${wildcard}; }`);
  }
  return { tables, lines };
}

/** Generates code that matches an inner segment: first below its literal, then below the parameter. */
function innerSegment(node: Node, captured: readonly string[], name: string, functions: string[]): Code {
  const inner = [...node.literals].filter(([, child]) => continues(child));
  const call = (target: string, more: readonly string[] = []): string =>
    `${target}(${["path", "params", "e + 1", ...boundsOf(captured), ...more].join(", ")})`;
  const lines = [];
  const tables = [];
  if (inner.length > comparedLiterals) {
    const targets = inner.map(([literal, child]) => [literal, nodeFunction(child, captured, functions)] as const);
    tables.push(`const ${name}c = new Map(${table(targets)});`);
    lines.push(`  const f = ${name}c.get(path.slice(s, e));`);
    lines.push(`  if (f !== undefined) { const r = ${call("f")}; if (r !== -1) return r; }`);
  } else if (inner.length > 0) {
    lines.push(`  const t = path.slice(s, e);`);
    for (const [literal, child] of inner) {
      const target = nodeFunction(child, captured, functions);
      lines.push(`  if (t === ${text(literal)}) { const r = ${call(target)}; if (r !== -1) return r; }`);
    }
  }
  if (node.wildcard !== undefined && continues(node.wildcard)) {
    const target = nodeFunction(node.wildcard, [...captured, String(captured.length)], functions);
    lines.push(`  if (e > s) return ${call(target, ["s", "e"])};`);
  }
  return { tables, lines };
}

function continues(node: Node): boolean {
  return node.literals.size > 0 || node.wildcard !== undefined;
}

/** Returns the variables that hold the start and end offsets of each parameter. */
function boundsOf(captured: readonly string[]): readonly string[] {
  return captured.flatMap((id) => [`s${id}`, `e${id}`]);
}

function capture(captured: readonly string[], last?: string): string {
  const slices = captured.map((id) => `path.slice(s${id}, e${id})`);
  if (last !== undefined) slices.push(last);
  return slices.length === 0 ? "" : `params.push(${slices.join(", ")}); `;
}

function table(entries: readonly (readonly [string, string])[]): string {
  return `[${entries.map(([key, value]) => `[${text(key)}, ${value}]`).join(", ")}]`;
}
