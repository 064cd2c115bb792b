import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { crash } from "../testing/crash.ts";

test(
  "a server killed while it writes has every acknowledged write, and no half of one",
  { timeout: 60_000 },
  async () => {
    const built = fileURLToPath(new URL("../../../dist/platform/local/open.js", import.meta.url));
    const report = await crash(20, built);
    expect(report.acknowledged).toBeGreaterThan(400);
    expect(report.lost).toEqual([]);
    expect(report.torn).toEqual([]);
  },
);
