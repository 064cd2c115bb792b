import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { crash } from "../testing/crash.ts";

/** `FW_KILLS=200` for the long run. */
const kills = Number(process.env["FW_KILLS"] ?? 20);

test(
  "a server killed while it writes has every acknowledged write, and no half of one",
  { timeout: kills * 3000 },
  async () => {
    const built = fileURLToPath(new URL("../../../dist/platform/local/open.js", import.meta.url));
    const report = await crash(kills, built);
    expect(report.acknowledged).toBeGreaterThan(kills * 20);
    expect(report.lost).toEqual([]);
    expect(report.torn).toEqual([]);
  },
);
