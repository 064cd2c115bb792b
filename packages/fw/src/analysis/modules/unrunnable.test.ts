import { expect, test } from "vitest";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

async function problemsIn(text: string): Promise<readonly string[]> {
  await using app = await writeTypedApp(text);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    return diagnostics.map(({ at, code, message }) => `${at.path}:${at.line}:${at.column} ${message} (${code})`);
  } finally {
    analyzer.close();
  }
}

const app = (text: string): string => `-- a/a.ts --
import { API } from "fw";
import { Shop } from "./shop.ts";
export const a = API("GET /a", () => new Shop().name);
-- a/shop.ts --
${text}
`;

test("a decorator is refused at its place", async () => {
  const marks = "const mark = (value: object): object => value;\n";
  expect(await problemsIn(app(`${marks}@mark export class Shop { @mark open() {}\n name = ""; }`))).toEqual([
    "a/shop.ts:2:1 Node does not run decorators (syntax)",
    "a/shop.ts:2:27 Node does not run decorators (syntax)",
  ]);
});

test("an accessor field is refused at its name", async () => {
  expect(await problemsIn(app(`export class Shop { accessor name = ""; }`))).toEqual([
    "a/shop.ts:1:30 Node does not run accessor fields (syntax)",
  ]);
});

test("a require is refused, but for types", async () => {
  const text = `import type types = require("node:fs");\nimport fs = require("node:fs");\n`;
  expect(
    await problemsIn(app(`${text}export class Shop { name = fs.constants.name as types.PathLike as string; }`)),
  ).toEqual(["a/shop.ts:2:1 ES modules have no require (import)"]);
});

test("TypeScript of CommonJS is refused where it is imported", async () => {
  const other = "-- a/other.cts --\nexport const name = 'x';\n";
  expect(
    await problemsIn(app(`import { name } from "./other.cts";\nexport class Shop { name = name; }`) + other),
  ).toEqual(['a/shop.ts:1:22 "./other.cts" is a CommonJS module, which an application cannot load (import)']);
});

test("a type that is handed on as a value is refused, however far away it is declared", async () => {
  const chain = `-- a/types.ts --
export interface Order { id: string }
export type Total = number;
export class Both {}
export interface Both { more?: string }
export enum Size { Small }
export namespace Types { export type Id = string; }
export namespace Values { export const one = 1; }
export default interface Main { id: string }
-- a/middle.ts --
export * from "./types.ts";
export { type Order as Ordered } from "./types.ts";
`;
  const text = `import { Order, Size } from "./middle.ts";
export { Order, Size };
export { Total, Both, Ordered as Other, Types, Values } from "./middle.ts";
export { default as Main } from "./types.ts";
export type { Total as Kept } from "./middle.ts";
interface Own { id: string }
export { Own };
export class Shop { name = ""; }`;
  expect(await problemsIn(app(text) + chain)).toEqual([
    "a/shop.ts:2:10 Order is a type, which does not exist at run time (import)",
    "a/shop.ts:3:10 Total is a type, which does not exist at run time (import)",
    "a/shop.ts:3:23 Ordered is a type, which does not exist at run time (import)",
    "a/shop.ts:3:41 Types is a type, which does not exist at run time (import)",
    "a/shop.ts:4:10 default is a type, which does not exist at run time (import)",
  ]);
});

test("what no declaration needs is nobody's business", async () => {
  const aside = `-- tools/aside.ts --\nconst mark = (value: object): object => value;\n@mark export class Aside {}\n`;
  expect(await problemsIn(app(`export class Shop { name = "decorators begin with @"; }`) + aside)).toEqual([]);
});
