import { expect, test } from "vitest";
import { hintGaps, hintSites } from "../../lib/testing/hint-sites.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const problemsOf = (schedule: string): Promise<readonly Diagnostic[]> =>
  bench.diagnose(`-- shop/shop.ts --
import { Cron } from "fw";
export const sweep = Cron("sweep", ${JSON.stringify(schedule)}, async () => {});
`);

/** Refused schedules, with the schedules that their hints suggest. */
const cases: readonly (readonly [refused: string, ...mended: string[]])[] = [
  ["", "0 7 * * 1", "every 15m"],
  ["0 ".repeat(101), "0 7 * * 1", "every 15m"],
  ["*/5 * * * * *", "*/5 * * * *"],
  ["hourly", "every 1h"],
  ["@hourly", "0 * * * *"],
  ["@weekly", "0 0 * * 0"],
  ["0 0 31 4 *", "0 0 30 4 *", "0 0 31 5 *"],
  ["every", "every 15m"],
  ["every now and then", "every 15m"],
  ["every 7m", "every 1m", "every 5m", "every 10m", "every 15m", "every 30m"],
  ["every 7h", "every 1h", "every 2h", "every 6h", "every 12h", "every 24h"],
  ["*/0 * * * *", "*/15 * * * *"],
  ["0 8-18/30 * * *", "0 8-18/2 * * *"],
  ["5/15 * * * *", "5-59/15 * * * *"],
  ["0 22-6 * * *", "0 22-23,0-6 * * *"],
  ["60 * * * *", "* * * * *", "59 * * * *", "0-59 * * * *", "*/10 * * * *", "0,59 * * * *"],
  ["0 24 * * *", "0 23 * * *"],
  ["0 0 0 * *", "0 0 1 * *"],
  ["0 0 1 june *", "0 0 1 jun *"],
  ["0 0 * * monday", "0 0 * * mon"],
];

test.each(cases)("the hint for the schedule %j leads to one that passes", async (schedule, ...mended) => {
  const problems = await problemsOf(schedule);
  expect(problems.map(({ code, hint }) => [code, hint])).toEqual([["fw/cron-schedule", expect.any(String)]]);
  const [, code] = /\bwrite "([^"]+)"$/.exec(problems[0]?.hint ?? "") ?? [];
  if (code !== undefined) expect(mended).toEqual([expect.stringContaining(code)]);
  expect(mended.length).toBeGreaterThan(0);
  for (const better of mended) expect(await problemsOf(better), better).toEqual([]);
});

test("every message about a schedule has a hint, and each was applied above", async () => {
  const sites = hintSites(["cron.ts", "cron-field.ts"].map((name) => new URL(`../../lib/${name}`, import.meta.url)));
  const problems = [];
  for (const [schedule] of cases) problems.push(...(await problemsOf(schedule)));
  expect(sites.length).toBeGreaterThan(10);
  expect(hintGaps(sites, problems)).toEqual([]);
});
