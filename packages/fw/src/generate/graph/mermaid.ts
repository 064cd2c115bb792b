import { visible } from "../../lib/visible.ts";
import type { Diagram, DiagramNode } from "./diagram.ts";

/** A diagram for Mermaid, which Markdown pages of many sites show. */
export function mermaidText({ nodes, edges }: Diagram): string {
  const ids = new Map(nodes.map(({ id }, i) => [id, `n${i}`]));
  const lines = [
    "flowchart LR",
    ...nodes.map((node) => `  ${ids.get(node.id) ?? ""}${shape(node)}`),
    ...edges.map(({ from, to, label }) => {
      const said = label === "" ? "" : `|"${escaped(label)}"|`;
      return `  ${ids.get(from) ?? ""} -->${said} ${ids.get(to) ?? ""}`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

/** Data is a cylinder, what carries messages a hexagon, all else a box. Users of a thing are told by its arrows. */
function shape({ kind, title, lines, column }: DiagramNode): string {
  const said = column === 1 ? lines.filter((line) => /^(?:index|notifies) /.test(line) || kind === "alert") : lines;
  const label = `"${[title, ...said].map(escaped).join("<br/>")}"`;
  if (kind === "entity" || kind === "bucket") return `[(${label})]`;
  return kind === "queue" || kind === "topic" || kind === "job" ? `{{${label}}}` : `[${label}]`;
}

/** Mermaid reads codes between `#` and `;`, and Markdown between backticks. */
function escaped(text: string): string {
  return visible(text).replaceAll(/[#"<>&`;|\\]/g, (character) => `#${character.codePointAt(0) ?? 0};`);
}
