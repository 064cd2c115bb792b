import { expect, test } from "vitest";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

async function problemsOf(code: string, more = ""): Promise<readonly string[]> {
  await using app = await writeTypedApp(`-- shop/shop.ts --
import { API } from "fw";
${code}
-- lib/one.ts --
export const n = 1;
-- lib/two.ts --
export const n = 2;
${more}`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    return diagnostics.map(({ at, code, message, hint }) => `${at.path}:${at.line} ${message} (${code}) ${hint ?? ""}`);
  } finally {
    analyzer.close();
  }
}

const api = (source: string): string =>
  `export const a = API("GET /a/{name}", async (_ctx, { name }: { name: string }): Promise<number> => (await import(${source})).n);`;
const problem = (source: string, hint: string): string =>
  `shop/shop.ts:2 \`${source}\` is computed, so a built service would not contain the module (import) ${hint}`;
const both =
  'write an import() for each module and choose by name: ({ one: () => import("../lib/one.ts"), two: () => import("../lib/two.ts") })[name]()';

test.each([
  ["a template", "`../lib/${name}.ts`", both],
  [
    "a call",
    "String(name)",
    both.replaceAll("../lib/one", "./a").replaceAll("../lib/two", "./b").replace("one:", "a:").replace("two:", "b:"),
  ],
  ["a concatenation", '"../lib/" + name + ".ts"', both],
  [
    "a name",
    "name",
    both.replaceAll("../lib/one", "./a").replaceAll("../lib/two", "./b").replace("one:", "a:").replace("two:", "b:"),
  ],
])("a dynamic import of %s is refused at its line, and the hint leads on", async (_what, source, hint) => {
  expect(await problemsOf(api(source).replace("{name}", "{name}"))).toContain(problem(source, hint));
  const [, table] = /: (\(\{.*\}\)\[name\])\(\)$/.exec(hint) ?? [];
  const mended = `export const a = API("GET /a", async (): Promise<number> => { const name = "one" as const; return (await ${(table ?? "").replaceAll(/"\.\/[ab]\.ts"/g, '"../lib/one.ts"').replace("a:", "one:")}()).n; });`;
  expect(await problemsOf(mended)).toEqual([]);
});

test("a constant of another module is refused with the literal to write", async () => {
  const code = `import { path } from "./path.ts";\nexport const a = API("GET /a", async (): Promise<number> => (await import(path)).n);`;
  const more = `-- shop/path.ts --\nexport const path = "../lib/one.ts" as const;\n`;
  expect(await problemsOf(code, more)).toEqual([problem("path", 'write import("../lib/one.ts")').replace(":2", ":3")]);
  expect(await problemsOf(code.replace("import(path)", 'import("../lib/one.ts")'), more)).toEqual([]);
  expect(await problemsOf(code.replace('import { path } from "./path.ts"', 'const path = "../lib/one.ts"'))).toEqual(
    [],
  );
});

test.each([
  ["a literal", '"../lib/one.ts"'],
  ["a template without values", "`../lib/one.ts`"],
  ["literals put together", '"../lib/" + "one.ts"'],
  ["a package", "`pkg/${1 + 1}`"],
  ["a URL of a file", "new URL(String(1)).href"],
  ["a path that is turned into a URL", "import.meta.resolve(String(1))"],
])("%s is followed, or names no module of the application", async (_what, source) => {
  const code = `export const a = API("GET /a", async (): Promise<number> => (await import(${source})).n);`;
  expect(await problemsOf(code)).toEqual([]);
});

test("modules that nothing of the application reaches, and packages, may compute", async () => {
  const script = "export const load = (name: string): Promise<unknown> => import(`./${name}.ts`);\n";
  const code = `import { load } from "pkg";\nexport const a = API("GET /a", (): string => typeof load);`;
  const pkg = `-- node_modules/pkg/package.json --\n{ "name": "pkg", "type": "module", "exports": "./index.js" }\n-- node_modules/pkg/index.js --\nexport const load = (name) => import("./" + name);\n`;
  expect(await problemsOf(code, `-- scripts/seed.ts --\n${script}${pkg}`)).toEqual([]);
  const imported = code.replace('"pkg"', '"../scripts/seed.ts"');
  expect(await problemsOf(imported, `-- scripts/seed.ts --\n${script}`)).toHaveLength(1);
});
