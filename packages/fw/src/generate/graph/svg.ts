import { escapeHTML } from "../../lib/html.ts";
import { visible } from "../../lib/visible.ts";
import type { Diagram, DiagramEdge, DiagramNode } from "./diagram.ts";

const lineHeight = 18;
const charWidth = 7.3;
const padding = 10;
const gapBetweenColumns = 140;
const gapBetweenNodes = 22;
const margin = 24;

interface Box {
  readonly node: DiagramNode;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A diagram as an SVG file: app services on the left, shared resources in the middle, background services on the right.
 */
export function svgText(diagram: Diagram): string {
  const boxes = layout(diagram);
  const byId = new Map(boxes.map((box) => [box.node.id, box]));
  const width = Math.max(0, ...boxes.map((box) => box.x + box.width)) + margin;
  const height = Math.max(0, ...boxes.map((box) => box.y + box.height)) + margin;
  const arrows = diagram.edges.flatMap((edge) => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)];
    return from === undefined || to === undefined ? [] : [arrow(edge, from, to)];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeSvg(diagram.app)}</title>`,
    `<style>${style}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>',
    ...arrows,
    ...boxes.map(boxText),
    "</svg>",
    "",
  ].join("\n");
}

const style = [
  "svg{background:#fff;color:#1c2128;font:12px ui-monospace,Menlo,Consolas,monospace}",
  "text{fill:currentColor}.title{font-weight:700}",
  "rect{fill:#f3f6fa;stroke:#8a97a8}.entity,.bucket{fill:#e9f5ec}.queue,.topic,.job{fill:#fdf3e0}.secret,.users,.alert{fill:#f7ecf7}",
  ".edge{fill:none;stroke:#68768a;marker-end:url(#tip)}marker path{fill:#68768a}",
  "@media(prefers-color-scheme:dark){svg{background:#14181d;color:#e4e9ef}rect{fill:#222932;stroke:#5b6878}.entity,.bucket{fill:#1d3226}.queue,.topic,.job{fill:#3a2f1a}.secret,.users,.alert{fill:#34223a}}",
].join("");

/** Lays out three columns. Sorts shared resources by their users, so that few arrows cross. */
function layout({ nodes, edges }: Diagram): readonly Box[] {
  const boxes: Box[] = [];
  let x = margin;
  for (const column of [0, 1, 2] as const) {
    const own = column === 1 ? inOrderOfUse(nodes, edges) : nodes.filter((node) => node.column === column);
    const width = Math.max(0, ...own.map(widthOf));
    let y = margin;
    for (const node of own) {
      const height = (node.lines.length + 1) * lineHeight + padding;
      boxes.push({ node, x, y, width, height });
      y += height + gapBetweenNodes;
    }
    if (own.length > 0) x += width + gapBetweenColumns;
  }
  return boxes;
}

function inOrderOfUse(nodes: readonly DiagramNode[], edges: readonly DiagramEdge[]): readonly DiagramNode[] {
  const places = new Map(nodes.map(({ id }, i) => [id, i]));
  const placeOf = ({ id }: DiagramNode): number => {
    const users = edges.filter(({ to }) => to === id).map(({ from }) => places.get(from) ?? 0);
    return users.length === 0 ? nodes.length : users.reduce((sum, place) => sum + place, 0) / users.length;
  };
  return nodes.filter(({ column }) => column === 1).toSorted((one, other) => placeOf(one) - placeOf(other));
}

function widthOf({ title, lines }: DiagramNode): number {
  return Math.ceil(Math.max(...[title, ...lines].map((line) => visible(line).length)) * charWidth) + 2 * padding;
}

function boxText({ node, x, y, width, height }: Box): string {
  const lines = [node.title, ...node.lines].map((line, i) => {
    const place = `x="${x + padding}" y="${y + padding / 2 + (i + 1) * lineHeight - 5}"`;
    return `<text ${place}${i === 0 ? ' class="title"' : ""} xml:space="preserve">${escapeSvg(line)}</text>`;
  });
  const shape = `<rect class="${escapeSvg(node.kind)}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`;
  return `<g>${shape}${lines.join("")}</g>`;
}

/** Draws an arrow between the facing sides of two boxes. Within a column, it bends around the left side. */
function arrow({ from, to, label }: DiagramEdge, start: Box, end: Box): string {
  const middle = (box: Box): number => box.y + box.height / 2;
  const forwards = start.x < end.x;
  const within = start.x === end.x;
  const x1 = forwards ? start.x + start.width : start.x;
  const x2 = forwards || within ? end.x : end.x + end.width;
  const bend = within ? -margin : (x2 - x1) / 2;
  const path = `M${x1} ${middle(start)}C${x1 + bend} ${middle(start)} ${within ? x2 + bend : x2 - bend} ${middle(end)} ${x2} ${middle(end)}`;
  return `<path class="edge" d="${path}"><title>${escapeSvg(`${from} → ${to}${label === "" ? "" : `: ${label}`}`)}</title></path>`;
}

function escapeSvg(text: string): string {
  return escapeHTML(visible(text));
}
