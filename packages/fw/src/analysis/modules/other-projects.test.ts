import { expect, test } from "vitest";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

const wrong = "export const n: string = 1;\n";
const api = `import { API } from "fw";\nexport const list = API("GET /rows", (): string => "rows");\n`;

async function errorsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const text = Object.entries(files).map(([path, source]) => `-- ${path} --\n${source}\n`);
  await using app = await writeTypedApp(text.join(""));
  const analyzer = openAnalyzer(app.root);
  try {
    await analyzer.analyze({ types: true });
    return (await analyzer.typeDiagnostics()).map(({ at, code }) => `${at.path} ${code}`);
  } finally {
    analyzer.close();
  }
}

test("sources of a single-page application below a tsconfig.json of their own are left to their own build", async () => {
  const page = {
    "portal/portal.ts": api,
    "portal/src/main.ts": "export const title: string = document.title;\n",
    "portal/src/main.test.ts": wrong,
  };
  expect(await errorsOf(page)).toContain("portal/src/main.ts ts2584");
  expect(await errorsOf({ ...page, "portal/src/tsconfig.json": "{}" })).toEqual([]);
  expect(await errorsOf({ ...page, "portal/tsconfig.json": "{}" })).toEqual(["portal/src/main.test.ts ts2322"]);
});

test("what the application runs is checked with its own settings wherever a tsconfig.json is, types that it imports among it", async () => {
  const files = {
    "shop/tsconfig.json": "{}",
    "shop/shop.ts": `import type { Row } from "./rows.ts";\nimport { n } from "./n.ts";\n${api}void n;\nexport type R = Row;\n`,
    "shop/rows.ts": `export interface Row { n: Missing }\n`,
    "shop/n.ts": wrong,
    "shop/n.test.ts": wrong,
    "shop/unused.ts": wrong,
  };
  expect(await errorsOf(files)).toEqual(["shop/n.test.ts ts2322", "shop/n.ts ts2322", "shop/rows.ts ts2304"]);
});

test("a package of a workspace that has a tsconfig.json is checked by its own", async () => {
  const files = {
    "shop/shop.ts": `import { n } from "../packages/shared/index.ts";\n${api}void n;\n`,
    "packages/shared/package.json": `{ "name": "shared", "type": "module", "exports": "./index.ts" }`,
    "packages/shared/index.ts": wrong,
  };
  expect(await errorsOf(files)).toEqual(["packages/shared/index.ts ts2322"]);
  expect(await errorsOf({ ...files, "packages/shared/tsconfig.json": "{}" })).toEqual([]);
});
