import { expect, test } from "vitest";
import type { Diagram } from "./diagram.ts";
import { mermaidText } from "./mermaid.ts";
import { svgText } from "./svg.ts";

const hostile = `</text><script>"&\u202e#\`|\n]`;

const diagram: Diagram = {
  app: hostile,
  nodes: [
    { id: "a", kind: "app", title: hostile, lines: [hostile], isShared: false },
    { id: "b", kind: "entity", title: hostile, lines: [`index ${hostile}`], isShared: true },
  ],
  edges: [
    { from: "a", to: "b", label: hostile },
    { from: "a", to: "elsewhere", label: "" },
  ],
};

test("words of the source stay words in a picture", async () => {
  const svg = await svgText({ ...diagram, edges: diagram.edges.slice(0, 1) });
  expect(svg.match(/<(?!\/?(?:svg|title|style|defs|marker|path|g|rect|text)\b)/g)).toBeNull();
  expect(svg).toContain("&lt;script&gt;");
  expect(svg).not.toContain("\u202e");
});

test("words of the source stay words in Mermaid, and an arrow to nothing is left out of the picture", async () => {
  const text = mermaidText({ ...diagram, edges: diagram.edges.slice(0, 1) });
  const word = "#60;/text#62;#60;script#62;#34;#38;\\u{202e}#35;#96;#124;\\n]".replaceAll("\\", "#92;");
  expect(text.split("\n")).toEqual([
    "flowchart LR",
    `  n0["${word}<br/>${word}"]`,
    `  n1[("${word}<br/>index ${word}")]`,
    `  n0 -->|"${word}"| n1`,
    "",
  ]);
  expect((await svgText(diagram)).match(/class="edge"/g)).toHaveLength(1);
});
