import { expect, test } from "vitest";
import { useAppBench } from "../../analysis/testing/app-bench.ts";
import { hintGaps, hintSites } from "../../lib/testing/hint-sites.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { generateClient } from "./client.ts";

const bench = useAppBench();

async function refusalsOf(source: string): Promise<readonly Diagnostic[]> {
  const { app, diagnostics } = await bench.analyze(
    source.replaceAll(/^(-- .* --)$/gm, `$1\nimport { API, type Query } from "fw";`),
  );
  expect(diagnostics).toEqual([]);
  const client = generateClient(app, await bench.descriptions());
  return "refusals" in client ? client.refusals : [];
}

/** Applications without a client, and the same applications after following the hints. */
const cases: readonly (readonly [what: string, refused: string, mended: string])[] = [
  [
    "two methods of one name",
    `-- a/a.ts --\nexport const list = API("GET /a", () => 1);\n-- b/b.ts --\nexport const list = API("GET /b", () => 1);\n`,
    `-- a/a.ts --\nexport const list = API("GET /a", () => 1);\n-- b/b.ts --\nexport const listB = API("GET /b", () => 1);\n`,
  ],
  [
    "a type with a name of the client's own",
    `-- a/a.ts --\nexport interface ApiError { a: string }\nexport const a = API("GET /a", (): ApiError => ({ a: "" }));\n`,
    `-- a/a.ts --\nexport interface Failure { a: string }\nexport const a = API("GET /a", (): Failure => ({ a: "" }));\n`,
  ],
  [
    "a request that is a value, too",
    `-- a/a.ts --
export interface Search { q: Query; page: number }
export const a = API("POST /a", (_ctx, req: Search): Search => req);
`,
    `-- a/a.ts --
export interface Search { q: Query; page: number }
export interface Searched { q: string; page: number }
export const a = API("POST /a", (_ctx, req: Search): Searched => req);
`,
  ],
];

test.each(cases)("the hint for %s leads to a client", async (_what, refused, mended) => {
  expect(await refusalsOf(refused)).toEqual([expect.objectContaining({ hint: expect.any(String) as string })]);
  expect(await refusalsOf(mended)).toEqual([]);
});

test("every reason to generate no client has a hint, and each was applied above", async () => {
  const all = hintSites([new URL("refusals.ts", import.meta.url)]);
  // Skip the hint that only gives the location of the first method.
  const sites = all.filter(({ message }) => message !== '"…" for …');
  const refusals = [];
  for (const [, refused] of cases) refusals.push(...(await refusalsOf(refused)));
  expect(sites.length).toBeGreaterThan(2);
  expect(hintGaps(sites, refusals)).toEqual([]);
});
