import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { kinds, kindsWith } from "../../model/kinds.ts";

/**
 * The kinds of boxes: services with their own process, and resources that code uses. Endpoints are lines in the box of
 * their service.
 */
const boxes = new Set([
  ...kindsWith("runs", "alone"),
  ...Object.values(kinds).flatMap((kind) => ("use" in kind && kind.use.kind !== "endpoint" ? [kind.use.kind] : [])),
]);

test.each(["./svg.ts", "../../../console/console.css"])("%s has a color for every kind of box in the graph", (file) => {
  const text = readFileSync(new URL(file, import.meta.url), "utf8");
  expect([...boxes].filter((kind) => !new RegExp(`[."]${kind}\\b`).test(text))).toEqual([]);
});
