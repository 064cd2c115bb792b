import type { Page } from "playwright-core";
import { expect } from "vitest";

/**
 * A script that finds texts that are cut off without horizontal scrolling, dates and times that break into two lines,
 * cells so narrow that their text takes many lines, and labels of cells that cover the value.
 */
const cutTexts = `(() => {
  const problems = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const isHidden = (node) => !node.checkVisibility() || node.closest(".hidden, .skip, script, select, textarea, svg");
  while (walker.nextNode()) {
    const text = walker.currentNode;
    const parent = text.parentElement;
    if (text.data.trim() === "" || isHidden(parent)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const rects = [...range.getClientRects()].filter(({ width }) => width > 0);
    const report = (problem) => problems.push(problem + ": " + parent.outerHTML.slice(0, 160));
    for (let frame = parent; frame !== document.body; frame = frame.parentElement) {
      if (getComputedStyle(frame).overflowX === "visible") continue;
      const { left, right } = frame.getBoundingClientRect();
      if (rects.some((rect) => rect.left < left - 1 || rect.right > right + 1)) report("beyond " + frame.className);
    }
    const lines = new Set(rects.map(({ top }) => Math.round(top))).size;
    if (lines > 1 && /^\\d+[/:]\\d+[/:]\\d+\\S*( \\S+){0,2}$/.test(text.data.trim())) report("date on lines");
    const cell = parent.closest("td:not(:has(pre))");
    const isNarrow = cell && getComputedStyle(cell).display === "table-cell" && cell.clientWidth < 240;
    if (isNarrow && lines > 6) report("narrow");
  }
  const context = document.createElement("canvas").getContext("2d");
  for (const cell of document.querySelectorAll("td[data-label]")) {
    const label = getComputedStyle(cell, "::before");
    if (label.content === "none") continue;
    context.font = label.font;
    const isWider = context.measureText(cell.dataset.label).width > Number.parseFloat(getComputedStyle(cell).paddingLeft);
    if (isWider && label.float === "none") problems.push("label over its value: " + cell.dataset.label);
  }
  for (const line of document.querySelectorAll(".graph .box text")) {
    const box = line.parentElement.querySelector("rect").getBBox();
    const { x, width } = line.getBBox();
    if (x + width > box.x + box.width) problems.push("beyond its box: " + line.textContent);
  }
  return [...new Set(problems)];
})()`;

/** Additional window widths, at which tables change their layout, by the width under test. */
const otherWidths: Readonly<Record<number, readonly number[]>> = { 1280: [1920, 1090, 1000, 640], 390: [] };

/** Expects all texts of a page to be readable, at a window width and at others where its tables change. */
export async function expectWhole(page: Page, name: string, width: number): Promise<void> {
  for (const each of [width, ...(otherWidths[width] ?? [])]) {
    await page.setViewportSize({ width: each, height: 900 });
    const cut = await page.evaluate<string[]>(cutTexts);
    const isTooWide = (await page.evaluate<number>("document.documentElement.scrollWidth")) > each;
    expect({ name, each, cut, isTooWide }).toEqual({ name, each, cut: [], isTooWide: false });
  }
  await page.setViewportSize({ width, height: 900 });
}
