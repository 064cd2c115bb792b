// Places boxes and arrows: for the console's page, and in Node for `fw gen graph --format svg`.
import { graphlib, layout } from "@dagrejs/dagre";

const lineHeight = 18;
const charWidth = 7.3;
const padding = 10;

/**
 * Returns the size of the picture, the place of each box and the bends of each arrow. A node has `id`, `title`, `lines`
 * and perhaps a `group`, which becomes a frame around its nodes. Arrows between the same boxes are one. They lead from
 * left to right, or downwards, which suits a narrow page.
 */
export function place({ nodes, edges, isDownwards = false }) {
  const graph = new graphlib.Graph({ compound: true });
  graph.setGraph({
    rankdir: isDownwards ? "TB" : "LR",
    nodesep: 16,
    edgesep: 8,
    ranksep: isDownwards ? 48 : 72,
    marginx: 24,
    marginy: 24,
    acyclicer: "greedy",
    ranker: "tight-tree",
  });
  const ids = new Set(nodes.map(({ id }) => id));
  for (const node of nodes) graph.setNode(node.id, sizeOf(node));
  for (const { id, group } of nodes) {
    if (group === undefined) continue;
    const frame = frameId(group);
    if (!graph.hasNode(frame)) graph.setNode(frame, {});
    graph.setParent(id, frame);
  }
  for (const { from, to } of edges) if (from !== to && ids.has(from) && ids.has(to)) graph.setEdge(from, to, {});
  layout(graph);
  return {
    ...placed(graph.graph()),
    boxes: nodes.map(({ id }) => ({ id, ...corner(graph.node(id)) })),
    frames: [...new Set(nodes.flatMap(({ group = [] }) => group))].map((group) => ({
      group,
      ...corner(graph.node(frameId(group))),
    })),
    arrows: graph.edges().map(({ v, w }) => ({
      from: v,
      to: w,
      points: fromSideToSide(graph.edge(v, w).points, graph.node(v), graph.node(w), isDownwards).map(rounded),
    })),
  };
}

/**
 * Arrows begin and end in their direction, so they leave and reach boxes at their left and right sides, or at their
 * upper and lower ones.
 */
function fromSideToSide(points, from, to, isDownwards) {
  const bends = points.slice(1, -1);
  const [first = to] = bends;
  const last = bends.at(-1) ?? from;
  const sideOf = isDownwards ? verticalSideOf : horizontalSideOf;
  return [sideOf(from, first), ...bends, sideOf(to, last)];
}

/** The point of a box's left or right side that is nearest to another one. */
function horizontalSideOf({ x, y, width, height }, other) {
  return { x: other.x < x ? x - width / 2 : x + width / 2, y: nearest(y, height, other.y) };
}

/** The point of a box's upper or lower side that is nearest to another one. */
function verticalSideOf({ x, y, width, height }, other) {
  return { x: nearest(x, width, other.x), y: other.y < y ? y - height / 2 : y + height / 2 };
}

/** The coordinate nearest to another one on a side of a box, away from its corners. */
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

/** The library places the center of a box. */
function corner({ x, y, width, height }) {
  return { ...rounded({ x: x - width / 2, y: y - height / 2 }), ...placed({ width, height }) };
}

function rounded({ x, y }) {
  return { x: Math.round(x * 10) / 10, y: Math.round(y * 10) / 10 };
}
