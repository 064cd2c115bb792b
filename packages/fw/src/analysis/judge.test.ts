import { expect, test } from "vitest";
import { openAnalyzer } from "./index.ts";
import { writeTypedApp } from "./testing/typed-app.ts";

async function codes(line: string): Promise<readonly string[]> {
  const text = `-- a/a.ts --\nimport { API, Service } from "fw";\nimport type { Query } from "fw";\n${line}\n`;
  await using app = await writeTypedApp(text);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    return [...diagnostics, ...(await analyzer.typeDiagnostics())].map(({ code }) => code);
  } finally {
    analyzer.close();
  }
}

test.each([
  ["a request of any", `export const a = API("POST /a", (_ctx, req: any) => 1);`, "fw/wire-type"],
  ["a date in a query", `export const a = API("GET /a", (_ctx, req: { on: Query<Date> }) => 1);`, "fw/bind-type"],
  [
    "a profile that there is none of",
    `export const s = Service({ profile: "fast" });\nexport const a = API("GET /a", () => 1);`,
    "fw/config-literal",
  ],
  ["a list as a request", `export const a = API("POST /a", (_ctx, req: string[]) => 1);`, "fw/wire-type"],
])("%s is told once, in the rule's words", async (_what, line, rule) => {
  expect(await codes(line)).toEqual([rule]);
});

test("TypeScript's reason why a response is any is told beside it", async () => {
  expect(await codes(`export const a = API("GET /a", () => nobodyDeclaredThis());`)).toContain("ts2304");
});

test("an error of TypeScript on another line is told beside a rule's", async () => {
  const line = `export const a = API("POST /a", (_ctx, req: any) => 1);\nexport const n: number = "text";`;
  expect(await codes(line)).toEqual(["fw/wire-type", "ts2322"]);
});
