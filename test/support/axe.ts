import axe from "axe-core";
import type { Page } from "playwright-core";

/**
 * Returns the problems that axe finds in a page, each as its rule and the first element that breaks it. Axe describes
 * only elements that break a rule, because describing the others takes a seventh of its time.
 */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe.source);
  return page.evaluate<string[]>(
    "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes[0].html}`))",
  );
}
