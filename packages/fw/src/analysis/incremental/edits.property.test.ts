import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { openChecker } from "../checker/checker.ts";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

/** The statements of a module, each with the texts it may have. */
const statements: readonly (readonly string[])[] = [
  ['import { API, type Path } from "fw";', 'import { API, type Path, Errorf } from "fw";'],
  [
    'import { other, type Other } from "./other.ts";',
    'import { third as other, type Other } from "./other.ts";',
    'import { other } from "./other.ts";\nimport type { Back as Other } from "./back.ts";',
  ],
  ['const base = "/a";', 'const base = "/b";', 'export const base = "/c";'],
  ["type Id = string;", "type Id = number;", "export interface Id { a: string }"],
  [
    "export interface Item { id: Id; other?: Other }",
    "export interface Item { /** Its id. */ id: Id }",
    "export type Item = { id: string; note: string };",
  ],
  [
    'function helper() { return { at: "now", base }; }',
    "function helper() { return { at: 1, size }; }",
    "function helper(): Item { return {} as Item; }",
  ],
  ["export const size = 1;", "export const size = 2;", 'export const size = "x";', "export const size = 3 as const;"],
  ['const lookup = { a: "GET /look" };', 'const lookup = { a: "GET /found", b: 1 };'],
  ["", 'lookup.a = "GET /else";', "export { lookup };", "type Date = { shadowed: true };"],
  [
    'export const r0 = API("GET /r0", (): Item => ({}) as Item);',
    'export const r0 = API("GET /r0", (): Item => helper() as unknown as Item);',
    'const r0 = API("GET /r0", (): Item[] => []);',
  ],
  ["export const r1 = API(`POST ${base}/r1`, (_ctx, req: Item) => { void req; });"],
  ['export const r2 = API("GET /r2", () => helper());', 'export const r2 = API("GET /r2", async () => [helper()]);'],
  ["export const r3 = API(lookup.a, (): string => base);"],
  [
    'export const r4 = API("GET /r4/{id}", (_ctx, req: { id: Path }): { at: Date; id: Id } => ({ at: new Date(), id: req.id as never }));',
    'export const r4 = API("GET /r4/{name}", (_ctx, req: { id: Path }): { at: Date } => ({ at: new Date(0) }));',
  ],
  ['export const r5 = API("GET /r5", () => size);', 'export const r5 = API("GET /r5", () => other);'],
  ['export const r6 = API("GET /r6", () => ({ other, size, item: {} as Item }));'],
  ['export const r7 = API("GET /r7", (): { back?: Other } => ({}));'],
  ['export const r8 = API("GET /r8", () => [other]);'],
];

const others: Readonly<Record<string, readonly string[]>> = {
  "other.ts": [
    'export const other = 1;\nexport const third = "three";\nexport type Other = { o: string };',
    "export const other = { deep: true };\nexport const third = 3;\nexport type Other = { o: number }[];",
    'import type { Item } from "./app.ts";\nexport const other = [] as Item[];\nexport const third = 3;\nexport type Other = Item;',
  ],
  "back.ts": ['export type Back = import("./app.ts").Id;', "export type Back = number;"],
};

const edits = fc.record({
  part: fc.nat({ max: statements.length + Object.keys(others).length - 1 }),
  choice: fc.nat({ max: 3 }),
});

test(
  "after any edit of a statement, the analysis is that of a fresh reading",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edits, { minLength: 12, maxLength: 20 }), async (steps) => {
        const current = statements.map(([first]) => first ?? "");
        const text = (): string => `${current.join("\n")}\n`;
        await using app = await writeTypedApp(
          `-- app.ts --\n${text()}${Object.entries(others)
            .map(([path, [first]]) => `-- ${path} --\n${first}\n`)
            .join("")}`,
        );
        const checker = openChecker(app.root);
        const analyzer = openAnalyzer(app.root, { checker });
        try {
          await analyzer.analyze();
          for (const { part, choice } of steps) {
            const [path, content] = applyEdit(current, part, choice) ?? ["app.ts", text()];
            await app.write(path, content);
            const { app: model, diagnostics } = await analyzer.update([{ path, kind: "changed" }]);
            const fresh = await openAnalyzer(app.root, { checker }).analyze();
            expect(diagnostics).toEqual(fresh.diagnostics);
            expect(model).toEqual(fresh.app);
          }
        } finally {
          await checker.close();
        }
      }),
      { numRuns: tries(2) },
    );
  },
  tries(60_000),
);

/** Chooses another text for a statement; returns the path and content of another module if the part is one. */
function applyEdit(current: string[], part: number, choice: number): readonly [string, string] | undefined {
  const texts = statements[part];
  if (texts) current[part] = texts[choice % texts.length] ?? "";
  const [path, variants = []] = Object.entries(others)[part - statements.length] ?? [];
  return path === undefined ? undefined : [path, `${variants[choice % variants.length]}\n`];
}
