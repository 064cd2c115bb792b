import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { writeApplication } from "./support/dev-app.ts";
import { shownFiles } from "./support/markdown.ts";

const path = fileURLToPath(new URL("../docs/grants.md", import.meta.url));

test("docs/grants.md shows the grants of the application that it shows", async () => {
  const page = readFileSync(path, "utf8");
  const app = writeApplication(shownFiles(page));
  try {
    const { out } = await fw(app, "gen", "graph", "--grants");
    expect(out).toContain("shop-sendReceipt  (worker)");
    await expect(page.replace(/(?<=\n```text\n)[^`]*(?=```\n)/, () => out)).toMatchFileSnapshot(path);
  } finally {
    rmSync(app, { recursive: true });
  }
});
