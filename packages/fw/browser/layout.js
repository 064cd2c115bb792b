// Places boxes and arrows: for the console's page, and in Node for `fw gen graph --format svg`.
import { graphlib, layout } from "@dagrejs/dagre";

const lineHeight = 18;
const charWidth = 7.3;
const padding = 10;

/** The maximum number of frames to place together: with more, the library takes seconds or fails. */
const framesPlacedTogether = 20;

/** Pixels above a frame for its title. */
const titleHeight = 20;

/**
 * Returns the size of the picture, the place of each box and the bends of each arrow. A node has `id`, `title`, `lines`
 * and perhaps a `group`, which becomes a frame around its nodes. Arrows between the same boxes are merged. Arrows point
 * to the right or, with `isDownwards`, down, which suits a narrow page.
 */
export function place({ nodes, edges, isDownwards = false }) {
  const ids = new Set(nodes.map(({ id }) => id));
  const arrows = edges.filter(({ from, to }) => from !== to && ids.has(from) && ids.has(to));
  const groups = new Set(nodes.flatMap(({ group = [] }) => group));
  if (groups.size > framesPlacedTogether) return placeByGroup({ nodes, arrows, isDownwards });
  try {
    return placeTogether({ nodes, arrows, groups, isDownwards });
  } catch {
    return placeByGroup({ nodes, arrows, isDownwards });
  }
}

function placeTogether({ nodes, arrows, groups, isDownwards }) {
  const graph = newGraph(isDownwards);
  for (const node of nodes) graph.setNode(node.id, sizeOf(node));
  for (const group of groups) graph.setNode(frameId(group), {});
  for (const { id, group } of nodes) if (group !== undefined) graph.setParent(id, frameId(group));
  for (const { from, to } of arrows) graph.setEdge(from, to, {});
  layout(graph);
  return {
    ...placed(graph.graph()),
    boxes: nodes.map(({ id }) => ({ id, ...corner(graph.node(id)) })),
    frames: [...groups].map((group) => ({ group, ...corner(graph.node(frameId(group))) })),
    arrows: graph.edges().map(({ v, w }) => ({
      from: v,
      to: w,
      points: fromSideToSide(graph.edge(v, w).points, graph.node(v), graph.node(w), isDownwards).map(rounded),
    })),
  };
}

/** Places the nodes of each group, and then the groups. Arrows between groups bend only outside of the frames. */
function placeByGroup({ nodes, arrows, isDownwards }) {
  const ownerOf = new Map(nodes.map(({ id, group }) => [id, group === undefined ? id : frameId(group)]));
  const inner = placeInGroups({ nodes, arrows, ownerOf, isDownwards });
  const outer = placeGroups({ nodes, arrows, ownerOf, inner, isDownwards });
  const nodeAt = (id) => {
    const owner = ownerOf.get(id);
    return owner === id ? outer.node(id) : moved(inner.get(owner).node(id), frameCorner(outer.node(owner)));
  };
  const pointsOf = (from, to) => {
    const [start, end] = [ownerOf.get(from), ownerOf.get(to)];
    if (start !== end) return outer.edge(start, end).points;
    return inner
      .get(start)
      .edge(from, to)
      .points.map((point) => moved(point, frameCorner(outer.node(start))));
  };
  return {
    ...placed(outer.graph()),
    boxes: nodes.map(({ id }) => ({ id, ...corner(nodeAt(id)) })),
    frames: [...new Set(nodes.flatMap(({ group = [] }) => group))].map((group) => ({
      group,
      ...rounded(frameCorner(outer.node(frameId(group)))),
      ...placed(inner.get(frameId(group)).graph()),
    })),
    arrows: distinctArrows(arrows).map(({ from, to }) => ({
      from,
      to,
      points: fromSideToSide(pointsOf(from, to), nodeAt(from), nodeAt(to), isDownwards).map(rounded),
    })),
  };
}

/** Places the nodes in each group; returns the graphs by frame. */
function placeInGroups({ nodes, arrows, ownerOf, isDownwards }) {
  const graphs = new Map();
  for (const node of nodes) {
    if (node.group === undefined) continue;
    const owner = frameId(node.group);
    if (!graphs.has(owner)) graphs.set(owner, newGraph(isDownwards));
    graphs.get(owner).setNode(node.id, sizeOf(node));
  }
  for (const { from, to } of arrows)
    if (ownerOf.get(from) === ownerOf.get(to)) graphs.get(ownerOf.get(from)).setEdge(from, to, {});
  for (const graph of graphs.values()) layout(graph);
  return graphs;
}

/** Places frames, each with room for its title, and the nodes without a group. */
function placeGroups({ nodes, arrows, ownerOf, inner, isDownwards }) {
  const graph = newGraph(isDownwards);
  for (const node of nodes) if (node.group === undefined) graph.setNode(node.id, sizeOf(node));
  for (const [owner, own] of inner) {
    const { width, height } = own.graph();
    graph.setNode(owner, { width, height: height + titleHeight });
  }
  for (const { from, to } of arrows)
    if (ownerOf.get(from) !== ownerOf.get(to)) graph.setEdge(ownerOf.get(from), ownerOf.get(to), {});
  layout(graph);
  return graph;
}

function distinctArrows(arrows) {
  return [...new Map(arrows.map((arrow) => [`${arrow.from}\n${arrow.to}`, arrow])).values()];
}

/** The upper left corner of a frame, below its title. */
function frameCorner({ x, y, width, height }) {
  return { x: x - width / 2, y: y - height / 2 + titleHeight };
}

function moved({ x, y, ...rest }, by) {
  return { ...rest, x: x + by.x, y: y + by.y };
}

function newGraph(isDownwards) {
  const graph = new graphlib.Graph({ compound: true });
  return graph.setGraph({
    rankdir: isDownwards ? "TB" : "LR",
    nodesep: 16,
    edgesep: 8,
    ranksep: isDownwards ? 48 : 72,
    marginx: 24,
    marginy: 24,
    acyclicer: "greedy",
    ranker: "tight-tree",
  });
}

/**
 * Starts and ends an arrow at the left or right sides of its boxes or, with `isDownwards`, at their upper or lower
 * sides.
 */
function fromSideToSide(points, from, to, isDownwards) {
  const bends = points.slice(1, -1);
  const [first = to] = bends;
  const last = bends.at(-1) ?? from;
  const sideOf = isDownwards ? verticalSideOf : horizontalSideOf;
  return [sideOf(from, first), ...bends, sideOf(to, last)];
}

/** Returns the point nearest to another box on the left or right side that faces it. */
function horizontalSideOf({ x, y, width, height }, other) {
  return { x: other.x < x ? x - width / 2 : x + width / 2, y: nearest(y, height, other.y) };
}

/** Returns the point nearest to another box on the upper or lower side that faces it. */
function verticalSideOf({ x, y, width, height }, other) {
  return { x: nearest(x, width, other.x), y: other.y < y ? y - height / 2 : y + height / 2 };
}

/** Returns the coordinate nearest to `other` on a side of a box, away from its corners. */
function nearest(middle, length, other) {
  const reach = Math.max(0, length / 2 - padding);
  return Math.min(middle + reach, Math.max(middle - reach, other));
}

function frameId(group) {
  return `frame ${group}`;
}

function sizeOf({ title, lines }) {
  const characters = Math.max(...[title, ...lines].map((line) => line.length));
  return { width: Math.ceil(characters * charWidth) + 2 * padding, height: (lines.length + 1) * lineHeight + padding };
}

function placed({ width, height }) {
  return { width: Math.ceil(width), height: Math.ceil(height) };
}

/** `x` and `y` are the center of the box. */
function corner({ x, y, width, height }) {
  return { ...rounded({ x: x - width / 2, y: y - height / 2 }), ...placed({ width, height }) };
}

function rounded({ x, y }) {
  return { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 };
}
