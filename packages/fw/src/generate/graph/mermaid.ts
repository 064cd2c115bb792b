import { visible } from "../../lib/visible.ts";
import type { Diagram, DiagramNode } from "./diagram.ts";

/** Returns a diagram in Mermaid, which many Markdown viewers render. */
export function mermaidText({ nodes, edges }: Diagram): string {
  const ids = new Map(nodes.map(({ id }, i) => [id, `n${i}`]));
  const lines = [
    "flowchart LR",
    ...nodes.map((node) => `  ${ids.get(node.id) ?? ""}${shape(node)}`),
    ...edges.map(({ from, to, label }) => {
      const labelText = label === "" ? "" : `|"${escapeLabel(label)}"|`;
      return `  ${ids.get(from) ?? ""} -->${labelText} ${ids.get(to) ?? ""}`;
    }),
  ];
  return `${lines.join("\n")}\n`;
}

/**
 * Draws data as a cylinder, message destinations as a hexagon and everything else as a box. Omits users of a resource,
 * because arrows show them.
 */
function shape({ kind, title, lines, isShared }: DiagramNode): string {
  const visibleLines = isShared ? lines.filter((line) => /^(?:index|notifies) /.test(line) || kind === "alert") : lines;
  const label = `"${[title, ...visibleLines].map(escapeLabel).join("<br/>")}"`;
  if (kind === "entity" || kind === "bucket") return `[(${label})]`;
  return kind === "queue" || kind === "topic" || kind === "job" ? `{{${label}}}` : `[${label}]`;
}

/** Replaces characters that Mermaid, HTML or Markdown would interpret with Mermaid's codes, such as `#35;`. */
function escapeLabel(text: string): string {
  return visible(text).replaceAll(/[#"<>&`;|\\]/g, (character) => `#${character.codePointAt(0) ?? 0};`);
}
