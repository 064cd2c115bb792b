import { expect, test } from "vitest";
import { printLine } from "../cli/print/text.ts";
import { openAnalyzer } from "./index.ts";
import { writeTypedApp } from "./testing/typed-app.ts";

/** What the analysis and TypeScript find wrong with a module. */
async function found(text: string): Promise<readonly string[]> {
  await using app = await writeTypedApp(`-- shop/api.ts --\n${text}`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    return [...diagnostics, ...(await analyzer.typeDiagnostics())].map(printLine);
  } finally {
    analyzer.close();
  }
}

test("a rule that only a type breaks is told as the rule, also beside another that breaks it", async () => {
  const text = `import { API, Entity, type ID } from "fw";
export const a = Entity<{ n: number }>("a");
export const b = Entity<{ id: ID | number }>("b");
export const c = API("GET /c", () => 1);
`;
  const lines = await found(text);
  expect(lines.filter((line) => line.includes("fw/entity-id"))).toHaveLength(2);
  expect(lines.filter((line) => /\(ts\d+\)|Refused/.test(line))).toEqual([]);
});

test("a mistake that a rule and a type tell is told once", async () => {
  const text = `import { API } from "fw";
export interface Body {
  note: string;
}
export const get = API("GET /a", (_ctx, req: Body) => req.note);
`;
  expect(await found(text)).toEqual([expect.stringMatching(/^shop\/api\.ts:3:3: .*\(fw\/body-on-get\)$/)]);
});
