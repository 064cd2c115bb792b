// The part of the architecture that the graph shows: each closed package is one box, and filters hide boxes.

/** Returns the id of the box that represents a closed package. */
export function packageId(name) {
  return `package ${name}`;
}

/**
 * Returns the boxes and arrows to show. `opened` contains the names of open packages, and `hidden` the kinds to omit.
 * Boxes that match `words` also open their packages.
 */
export function visibleGraph({ nodes, edges }, { opened, hidden, words }) {
  const shown = nodes.filter(({ kind }) => !hidden.has(kind));
  const matches = new Set(words.length === 0 ? [] : shown.filter((node) => hasWords(node, words)).map(({ id }) => id));
  const isOpen = ({ id, package: name }) =>
    name === undefined ||
    opened.has(name) ||
    shown.some((each) => each.package === name && matches.has(each.id)) ||
    matches.has(id);
  const representative = new Map(shown.map((node) => [node.id, isOpen(node) ? node.id : packageId(node.package)]));
  const open = shown.filter(isOpen);
  const closed = Map.groupBy(
    shown.filter((node) => !isOpen(node)),
    (node) => node.package,
  );
  return {
    matches,
    nodes: [
      ...[...closed].map(([name, members]) => packageNode(name, members)),
      ...open.map((node) => ({ ...node, group: node.package })),
    ],
    edges: mergedEdges(edges, representative),
  };
}

function hasWords({ title, lines }, words) {
  const text = [title, ...lines].join("\n").toLowerCase();
  return words.every((word) => text.includes(word));
}

/** Creates the box of a closed package, which counts the nodes of the package by kind. */
function packageNode(name, members) {
  const counts = Map.groupBy(members, ({ kind }) => (kind === "app" ? "service" : kind));
  const lines = [...counts].map(([kind, { length }]) => `${length} ${length === 1 ? kind : plural(kind)}`);
  return { id: packageId(name), kind: "package", title: `+ ${name}`, lines, package: name };
}

function plural(kind) {
  return kind.endsWith("y") ? `${kind.slice(0, -1)}ies` : `${kind}s`;
}

/** Merges all edges between two boxes into one, whose `parts` are the ids of the merged edges. */
function mergedEdges(edges, representative) {
  const merged = new Map();
  for (const { from, to, label } of edges) {
    const [start, end] = [representative.get(from), representative.get(to)];
    if (start === undefined || end === undefined || start === end) continue;
    const id = edgeId(start, end);
    const edge = merged.get(id) ?? { id, from: start, to: end, labels: [], parts: [] };
    merged.set(id, edge);
    if (label !== "") edge.labels.push(label);
    edge.parts.push(edgeId(from, to));
  }
  return [...merged.values()];
}

export function edgeId(from, to) {
  return `${from}\n${to}`;
}
