/** Finds a graph's strongly connected components with two or more nodes, largest first (Tarjan's algorithm). */
export function strongComponents<Node>(graph: ReadonlyMap<Node, Iterable<Node>>): Node[][] {
  const components: Node[][] = [];
  const order = new Map<Node, number>();
  const open: Node[] = [];
  /** Returns the earliest open node that this one reaches. */
  const visit = (node: Node): number => {
    const own = order.size;
    order.set(node, own);
    const position = open.push(node) - 1;
    let earliest = own;
    for (const next of graph.get(node) ?? []) {
      const known = order.get(next);
      if (known === undefined) earliest = Math.min(earliest, visit(next));
      else if (open.includes(next)) earliest = Math.min(earliest, known);
    }
    if (earliest === own) components.push(open.splice(position));
    return earliest;
  };
  for (const node of graph.keys()) if (!order.has(node)) visit(node);
  return components.filter((each) => each.length > 1).toSorted((a, b) => b.length - a.length);
}
