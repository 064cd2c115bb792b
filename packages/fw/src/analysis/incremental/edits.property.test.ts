import * as fc from "fast-check";
import { expect, test } from "vitest";
import { tries } from "../../lib/testing/tries.ts";
import { openChecker } from "../checker/checker.ts";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

/** The statements of a module, each with its alternative texts. */
const statements: readonly (readonly string[])[] = [
  [
    'import { API, Entity, type ID, type Index, type Path } from "fw";',
    'import { API, Entity, type ID, type Index, type Path, Errorf } from "fw";',
  ],
  [
    'import { other, type Other } from "./other.ts";',
    'import { third as other, type Other } from "./other.ts";',
    'import { other } from "./other.ts";\nimport type { Back as Other } from "./back.ts";',
    'import { other, type Other } from "./barrel.ts";',
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
    "",
    'const written = (lookup.a = "GET /written");',
    'function write() { lookup.a = "GET /written"; }',
    "const { a: member } = lookup;",
    "declare global { interface Array<T> { first: T } }",
    "const broken = ;",
  ],
  ["enum Color { Red = 'r' }", "enum Color { Red, Blue }", "type Color = `c-${Id}`;"],
  ["", "enum Color { Green = 'g' }", "namespace Color { export const size = 1; }", "interface Item { color: Color }"],
  ["type Box<T> = { v: T };", "interface Box<T> { v: T; c?: Color }", "type Box<T> = T extends string ? { s: T } : T;"],
  [
    "interface Doc { id: ID; at: Index<string>; c: Color; b?: Box<Id> }",
    "interface Doc { id: ID; at: string; c: Color }",
  ],
  [
    'const docs = Entity<Doc>("docs");',
    'const docs = Entity<Doc>("others");',
    'export const docs = Entity<Doc>("docs");',
  ],
  [
    'const list = (at: string) => docs.query().where("at", "==", at);',
    'const list = (_: string) => docs.query().orderBy("at");',
  ],
  ["", "// A comment.", "/** A description. */", "\n"],
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
  ['export const r9 = API("GET /r9", (ctx) => list("x").all(ctx));'],
  ['export const r10 = API("GET /r10", (_ctx, req: Doc): Box<Other> => req as never);'],
];

const others: Readonly<Record<string, readonly string[]>> = {
  "other.ts": [
    'export const other = 1;\nexport const third = "three";\nexport type Other = { o: string };',
    "export const other = { deep: true };\nexport const third = 3;\nexport type Other = { o: number }[];",
    'import type { Item } from "./app.ts";\nexport const other = [] as Item[];\nexport const third = 3;\nexport type Other = Item;',
  ],
  "barrel.ts": [
    'export * from "./other.ts";',
    'export { third as other } from "./other.ts";\nexport type { Back as Other } from "./back.ts";',
  ],
  "use/use.ts": [
    'import { API } from "fw";\nimport { r2, size } from "../app.ts";\nexport const use = API("GET /use", (ctx) => r2(ctx));\nexport const own = API("GET /own", () => ({ size }));',
    'import { API } from "fw";\nimport * as app from "../app.ts";\nexport const use = API("GET /use", (): app.Item => app.r0 as never);',
  ],
  "back.ts": ['export type Back = import("./app.ts").Id;', "export type Back = number;"],
};

const edit = fc.record({
  part: fc.nat({ max: statements.length + Object.keys(others).length - 1 }),
  choice: fc.nat({ max: 5 }),
});

/** Generates the edits between two analyses, often of several statements or files. */
const save = fc.oneof(fc.tuple(edit), fc.tuple(edit, edit));

test(
  "after any edit of a statement, the analysis is that of a fresh reading",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(save, { minLength: 12, maxLength: 20 }), async (steps) => {
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
          for (const step of steps) {
            const changed = new Map<string, string>();
            for (const { part, choice } of step) {
              const [path, content] = applyEdit(current, part, choice) ?? ["app.ts", text()];
              changed.set(path, content);
            }
            for (const [path, content] of changed) await app.write(path, content);
            const changes = [...changed.keys()].map((path) => ({ path, kind: "changed" as const }));
            const { app: model, diagnostics } = await analyzer.update(changes);
            const fresh = openAnalyzer(app.root, { checker });
            const { app: freshModel, diagnostics: freshDiagnostics } = await fresh.analyze();
            expect(diagnostics).toEqual(freshDiagnostics);
            expect(model).toEqual(freshModel);
            expect(await analyzer.uses()).toEqual(await fresh.uses());
            expect(await analyzer.descriptions()).toEqual(await fresh.descriptions());
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

/**
 * Changes a statement or, if `part` is beyond the statements, another module; returns the path and text of that module.
 */
function applyEdit(current: string[], part: number, choice: number): readonly [string, string] | undefined {
  const texts = statements[part];
  if (texts) current[part] = texts[choice % texts.length] ?? "";
  const [path, variants = []] = Object.entries(others)[part - statements.length] ?? [];
  return path === undefined ? undefined : [path, `${variants[choice % variants.length]}\n`];
}
