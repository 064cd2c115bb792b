import { inSourceOrder, type Span } from "../../model/diagnostic.ts";

/** A graph node with its edges and its own uses, each with its first location. */
export interface Node {
  readonly uses: ReadonlyMap<string, Span>;
  readonly next: readonly number[];
}

/** Collects the uses of each node and of all nodes it reaches, each with its first location in source order. */
export function reach(nodes: readonly Node[]): (node: number) => ReadonlyMap<string, Span> {
  const groupOf = new Int32Array(nodes.length).fill(-1);
  const groups: ReadonlyMap<string, Span>[] = [];
  for (const members of groupsOf(nodes)) {
    for (const member of members) groupOf[member] = groups.length;
    groups.push(groupUses(nodes, members, groupOf, groups));
  }
  return (node) => groups[groupOf[node] ?? -1] ?? new Map();
}

function groupUses(
  nodes: readonly Node[],
  members: readonly number[],
  groupOf: Int32Array,
  groups: readonly ReadonlyMap<string, Span>[],
): ReadonlyMap<string, Span> {
  const own = groups.length;
  const next = new Set<number>();
  for (const member of members) for (const node of nodes[member]?.next ?? []) next.add(groupOf[node] ?? own);
  next.delete(own);
  const useMaps = [...next].flatMap((group) => groups[group] ?? []).filter(({ size }) => size > 0);
  for (const member of members) {
    const uses = nodes[member]?.uses;
    if (uses && uses.size > 0) useMaps.push(uses);
  }
  const [first, ...others] = useMaps;
  return first && others.length === 0 ? first : mergeUses(useMaps);
}

function mergeUses(useMaps: readonly ReadonlyMap<string, Span>[]): ReadonlyMap<string, Span> {
  const all = new Map<string, Span>();
  for (const uses of useMaps) {
    for (const [use, at] of uses) {
      const earlier = all.get(use);
      if (!earlier || inSourceOrder(at, earlier) < 0) all.set(use, at);
    }
  }
  return all;
}

/**
 * Finds strongly connected components with Tarjan's algorithm, without recursion. Each group comes after the groups it
 * leads to.
 */
function* groupsOf(nodes: readonly Node[]): Iterable<readonly number[]> {
  const order = new Int32Array(nodes.length).fill(-1);
  const lowest = new Int32Array(nodes.length);
  const isOpen = new Uint8Array(nodes.length);
  const open: number[] = [];
  const path: { readonly node: number; next: number }[] = [];
  let count = 0;
  const enter = (node: number): void => {
    order[node] = lowest[node] = count++;
    isOpen[node] = 1;
    open.push(node);
    path.push({ node, next: 0 });
  };
  for (let start = 0; start < nodes.length; start += 1) {
    if (order[start] !== -1) continue;
    enter(start);
    for (let step = path.at(-1); step; step = path.at(-1)) {
      const target = nodes[step.node]?.next[step.next++];
      if (target === undefined) {
        leave(step.node);
        if (lowest[step.node] === order[step.node]) yield closed(step.node);
      } else if (order[target] === -1) enter(target);
      else if (isOpen[target]) lower(step.node, order[target] ?? 0);
    }
  }

  function leave(node: number): void {
    path.pop();
    const before = path.at(-1);
    if (before) lower(before.node, lowest[node] ?? 0);
  }

  function lower(node: number, to: number): void {
    lowest[node] = Math.min(lowest[node] ?? 0, to);
  }

  function closed(root: number): readonly number[] {
    const members = open.splice(open.lastIndexOf(root));
    for (const member of members) isOpen[member] = 0;
    return members;
  }
}
