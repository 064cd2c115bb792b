import { expect, test } from "vitest";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

async function problemsIn(text: string): Promise<readonly string[]> {
  await using app = await writeTypedApp(text);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    const types = await analyzer.typeDiagnostics();
    return [...diagnostics, ...types].map(
      ({ at, code, message, hint }) =>
        `${at.path}:${at.line}:${at.column} ${message} (${code})${hint ? ` ${hint}` : ""}`,
    );
  } finally {
    analyzer.close();
  }
}

const declaring = (imports: string): string => `-- a/a.ts --
import { API } from "fw";
${imports}
export const a = API("GET /a", () => gone());
`;

test("an import of a file that is not there is told once, and nothing of what follows from it", async () => {
  expect(await problemsIn(declaring(`import { gone } from "../b/missing.ts";`))).toEqual([
    `a/a.ts:2:22 cannot find the file "../b/missing.ts" (import)`,
  ]);
});

test("a file that has moved is offered", async () => {
  const moved = "-- c/late.ts --\nexport const gone = (): string => '';\n";
  expect(await problemsIn(declaring(`import { gone } from "../b/late.ts";`) + moved)).toEqual([
    `a/a.ts:2:22 cannot find the file "../b/late.ts" (import) write "../c/late.ts"`,
  ]);
});

test("a package that is not installed is told with what installs it", async () => {
  expect(await problemsIn(declaring(`import { gone } from "@not/installed/deep";`))).toEqual([
    `a/a.ts:2:22 "@not/installed/deep" is not installed (import) npm install @not/installed`,
  ]);
});

test("scripts, JSON, Node's own modules and modules that no declaration reaches are none of it", async () => {
  const text = `-- a/a.ts --
import { API } from "fw";
import { join } from "node:path";
import data from "./data.json" with { type: "json" };
import { plain } from "./plain.js";
import type { Node } from "estree-that-types-declare";
export const a = API("GET /a", (): string => join(String(data), String(plain)));
-- a/data.json --
1
-- a/plain.js --
export const plain = 1;
-- scripts/old.ts --
import "./gone.ts";
`;
  expect((await problemsIn(text)).filter((each) => each.includes("(import)"))).toEqual([]);
});
