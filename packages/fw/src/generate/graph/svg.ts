import { escapeHTML } from "../../lib/html.ts";
import { visible } from "../../lib/visible.ts";
import type { Diagram, DiagramEdge, DiagramNode } from "./diagram.ts";
import { layoutLibrary } from "../../lib/own-modules.ts";

const lineHeight = 18;
const padding = 10;

/** Renders a diagram as an SVG file, with arrows from left to right. */
export async function svgText(diagram: Diagram): Promise<string> {
  const nodes = diagram.nodes.map(visibleNode);
  const { width, height, boxes, arrows } = await placeDiagram({ ...diagram, nodes });
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>${escapeHTML(visible(diagram.app))}</title>`,
    `<style>${style}</style>`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 8 4 0 8z"/></marker></defs>',
    ...arrows.map((arrow) => arrowText(arrow, diagram.edges)),
    ...boxes.flatMap((box) => {
      const node = byId.get(box.id);
      return node === undefined ? [] : [boxText(node, box)];
    }),
    "</svg>",
    "",
  ].join("\n");
}

/** The kinds that share a fill, by role: they store, forward, run, or protect and watch. */
const kindsByRole = {
  stores: ".entity,.bucket",
  passes: ".queue,.topic,.job,.event,.feed",
  runs: ".worker,.subscribe,.runner,.singleton",
  guards: ".secret,.users,.alert,.limit",
} as const;

function colors(fills: Readonly<Record<keyof typeof kindsByRole, string>>): string {
  return Object.entries(kindsByRole)
    .map(([role, kinds]) => `${kinds}{fill:${fills[role as keyof typeof fills]}}`)
    .join("");
}

const style = [
  "svg{background:#fff;color:#1c2128;font:12px ui-monospace,Menlo,Consolas,monospace}",
  "text{fill:currentColor}.title{font-weight:700}",
  "rect{fill:#f3f6fa;stroke:#8a97a8}",
  colors({ stores: "#e9f5ec", passes: "#fdf3e0", runs: "#e2f4f6", guards: "#f7ecf7" }),
  ".edge{fill:none;stroke:#68768a;marker-end:url(#tip)}marker path{fill:#68768a}",
  "@media(prefers-color-scheme:dark){svg{background:#14181d;color:#e4e9ef}rect{fill:#222932;stroke:#5b6878}",
  colors({ stores: "#1d3226", passes: "#3a2f1a", runs: "#17323a", guards: "#34223a" }),
  "}",
].join("");

/** Makes control, invisible and bidirectional characters visible. */
function visibleNode(node: DiagramNode): DiagramNode {
  return { ...node, title: visible(node.title), lines: node.lines.map(visible) };
}

function boxText({ kind, title, lines }: DiagramNode, { x, y, width, height }: PlacedDiagram["boxes"][number]): string {
  const texts = [title, ...lines].map((line, i) => {
    const place = `x="${x + padding}" y="${y + padding / 2 + (i + 1) * lineHeight - 5}"`;
    return `<text ${place}${i === 0 ? ' class="title"' : ""} xml:space="preserve">${escapeHTML(line)}</text>`;
  });
  const shape = `<rect class="${escapeHTML(visible(kind))}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`;
  return `<g>${shape}${texts.join("")}</g>`;
}

/** Draws one arrow for all edges between two boxes. */
function arrowText({ from, to, points }: PlacedDiagram["arrows"][number], edges: readonly DiagramEdge[]): string {
  const labels = edges.filter((edge) => edge.from === from && edge.to === to && edge.label !== "");
  const label = labels.length === 0 ? "" : `: ${labels.map((edge) => edge.label).join("; ")}`;
  const title = `<title>${escapeHTML(visible(`${from} → ${to}${label}`))}</title>`;
  return `<path class="edge" d="${pathThrough(points)}">${title}</path>`;
}

/** Returns a smooth path through the points, horizontal at both ends; "" without points. */
function pathThrough([first, ...rest]: readonly Point[]): string {
  if (first === undefined) return "";
  let [{ x, y }, path] = [first, `M${first.x} ${first.y}`];
  for (const next of rest) {
    const middle = Math.round((x + next.x) * 5) / 10;
    path += `C${middle} ${y} ${middle} ${next.y} ${next.x} ${next.y}`;
    ({ x, y } = next);
  }
  return path;
}

/** A diagram with positions for boxes and arrows, in pixels. */
interface PlacedDiagram extends Size {
  readonly boxes: readonly (Size & Point & { readonly id: string })[];
  readonly arrows: readonly { readonly from: string; readonly to: string; readonly points: readonly Point[] }[];
}

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface LayoutLibrary {
  readonly place: (diagram: {
    readonly nodes: readonly DiagramNode[];
    readonly edges: Diagram["edges"];
  }) => PlacedDiagram;
}

/** Lays out a diagram with the console's layout library, which is loaded only for a picture. */
async function placeDiagram({ nodes, edges }: Diagram): Promise<PlacedDiagram> {
  const { place } = (await import(layoutLibrary)) as LayoutLibrary;
  return place({ nodes, edges });
}
