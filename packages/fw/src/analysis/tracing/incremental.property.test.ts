import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { openAnalyzer } from "../index.ts";
import { writeApp } from "../testing/app.ts";

const declares = 'import { API } from "fw";\nexport const part = API("GET /part", (): string => "a");';

/** The contents that each file may have; undefined if it does not exist. */
const variants: Readonly<Record<string, readonly (string | undefined)[]>> = {
  "app.ts": [
    'import { API } from "fw";\nimport { names } from "./names.ts";\nexport const a = API(names.a, (): string => "a");',
    'import { Route } from "./kit.ts";\nimport "./use.ts";\nRoute("GET /a", (): string => "a");',
    'import { API } from "fw";\nimport { Route } from "./kit.ts";\nexport const a = API("GET /a", (): string => "a");\nexport const b = Route("GET /b", (): string => "b");',
    "export const nothing = 1;",
  ],
  "use.ts": [
    'import { Route, kit } from "./kit.ts";\ndeclare const any: any;\nany(Route);\nany(kit);',
    'import * as all from "./kit.ts";\ndeclare const any: any;\nany(all);\nconst lost = [all.Route][any];\nvoid lost;',
    'const lazy = async () => (await import("./kit.ts")).Route;\nvoid lazy;',
    'import { key } from "./names.ts";\nconst lazy = async () => await import(key);\nvoid lazy;',
  ],
  "kit.ts": [
    'import { API, Page } from "fw";\nexport const Route = API;\nexport const kit = { Page };',
    'export { API as Route } from "fw";\nexport const kit = { a: 1 };',
    'export * from "./deep.ts";',
    "// nothing of fw\nexport const Route = (...all: unknown[]) => all;\nexport const kit = {};",
    "export function Route(...all: unknown[]) { return all; }\nexport const kit = 1;",
    undefined,
  ],
  "deep.ts": [
    'import { API, Queue } from "fw";\nexport { API as Route };\nexport const kit = [Queue];',
    "export const Route = 1;\nexport const kit = 2;",
    undefined,
  ],
  "names.ts": [
    'export const names = { a: "GET /a" };\nexport const key = "./kit.ts";',
    '// lower\nexport const names = { b: 1, a: "GET /a" };\nexport const key = "fw";',
    'export { names, key } from "./more-names.ts";',
  ],
  "more-names.ts": ['export const names = { a: "GET /more" };\nexport const key = "./deep.ts";', undefined],
  "writes.ts": [
    'import { names } from "./names.ts";\nnames.a = "GET /b";',
    'import * as lib from "./names.ts";\nObject.assign(lib.names, { a: "GET /c" });',
    undefined,
  ],
  "imports.ts": [
    'import { part } from "./part.js";\nvoid part;',
    'import { part } from "./part.test.ts";\nvoid part;',
    'export * from "./inner/index.ts";',
  ],
  "more-imports.ts": ['import { part } from "./inner/index.ts";\nvoid part;', undefined],
  "part.js": [declares, "export const part = 1;", undefined],
  "part.ts": ["export const part = 1;", declares, undefined],
  "part.test.ts": [declares, 'export { part } from "./part.js";', undefined],
  "script.mjs": [declares, "export const part = 1;", undefined],
  "inner/package.json": ["{}", undefined],
  "inner/index.ts": ['export * from "./part.ts";', declares, undefined],
  "inner/part.ts": [declares, "export const part = 1;", undefined],
};

const edits = fc.constantFrom(
  ...Object.entries(variants).flatMap(([path, texts]) => texts.map((text) => ({ path, text }))),
);

test(
  "after any change of aliases and constants, the analysis is that of a fresh reading",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edits, { minLength: 8, maxLength: 12 }), async (steps) => {
        const text = Object.entries(variants).map(([path, [first]]) => `-- ${path} --\n${first ?? ""}`);
        await using app = await writeApp(`-- package.json --\n{ "name": "app", "type": "module" }\n${text.join("\n")}`);
        const there = new Set(Object.keys(variants));
        const analyzer = openAnalyzer(app.root);
        try {
          await analyzer.analyze();
          for (const { path, text: next } of steps) {
            const kind = next === undefined ? "deleted" : there.has(path) ? "changed" : "created";
            if (kind === "deleted" && !there.delete(path)) continue;
            if (next === undefined) await app.remove(path);
            else {
              await app.write(path, next);
              there.add(path);
            }
            const { app: model, diagnostics } = await analyzer.update([{ path, kind }]);
            const fresh = openAnalyzer(app.root);
            const { app: freshModel, diagnostics: freshDiagnostics } = await fresh.analyze();
            fresh.close();
            expect(diagnostics).toEqual(freshDiagnostics);
            expect(model).toEqual(freshModel);
          }
        } finally {
          analyzer.close();
        }
      }),
      { numRuns: tries(2) },
    );
  },
  tries(60_000),
);

test.each([
  [
    "imports when it runs",
    'export { API as Route } from "fw";',
    'export const lazy = async () => (await import("./other.ts")).Route;',
  ],
  [
    "writes to through another module",
    'export const names = { a: "GET /a" };',
    'import { names } from "./between.ts";\nnames.a = "GET /b";',
  ],
])("so after a file came back that a module %s", async (_what, other, text) => {
  await using app = await writeApp(`-- package.json --
{ "name": "app", "type": "module" }
-- app.ts --
import { API } from "fw";
import { names } from "./between.ts";
const own = { b: "GET /own" };
export const a = API(names.a, (): string => "a");
export const b = API(own.b, (): string => "b");
-- between.ts --
export { names } from "./other.ts";
-- use.ts --
${text}
-- other.ts --
${other}`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    expect(diagnostics.map(({ at }) => at.path)).toContain("use.ts");
    await app.remove("other.ts");
    const { diagnostics: without } = await analyzer.update([{ path: "other.ts", kind: "deleted" }]);
    expect(without.map(({ at }) => at.path)).not.toContain("use.ts");
    await app.write("other.ts", other);
    expect((await analyzer.update([{ path: "other.ts", kind: "created" }])).diagnostics).toEqual(diagnostics);
  } finally {
    analyzer.close();
  }
});
