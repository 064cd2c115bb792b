import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { writeFiles } from "./support/dev-app.ts";
import { importTest, testedApp } from "./support/fw-test.ts";
import { mostTopologies, startFiles } from "./support/topologies.ts";

vi.setConfig({ testTimeout: 300_000 });

// TypeScript for which removing types is not enough, and imports that are not plain paths.

const files: Readonly<Record<string, string>> = {
  "package.json": JSON.stringify({
    name: "app",
    type: "module",
    imports: { "#deep": { node: "./lib/deep.ts", default: "./lib/other.ts" }, "#view/jsx-runtime": "./lib/view.ts" },
  }),
  "tsconfig.json": JSON.stringify({
    compilerOptions: {
      module: "nodenext",
      target: "es2023",
      lib: ["es2023", "esnext.disposable"],
      jsx: "react-jsx",
      strict: true,
      noEmit: true,
      allowImportingTsExtensions: true,
      paths: { "@lib/*": ["./lib/*"] },
    },
  }),
  "lib/both.ts": `export class Order {}
export default "both";`,
  "lib/deep.ts": `export const deep = "deep";`,
  "lib/other.ts": `export const deep = "other";`,
  "lib/later.ts": `export const later = "later";`,
  "lib/setup.ts": `process.env["LIB_SETUP"] = "set up";`,
  "lib/things.ts": `import { Entity, type ID } from "fw";
export interface Thing { id: ID; name: string }
export const things = Entity<Thing>("things");`,
  "lib/view.ts": `export const jsx = (name: string, { children }: { children?: string }): string => name + ":" + children;
export namespace JSX { export interface IntrinsicElements { b: { children?: string } } export type Element = string }`,
  "shop/shop.tsx": `/** @jsxImportSource #view */
import { API } from "fw";
import "@lib/setup.ts";
import { things } from "@lib/things.ts";
import { deep } from "#deep";
import both, * as all from "@lib/both.ts";
class Order {}
const Refusal = class Refused extends Error { constructor() { super(); this.name = this.constructor.name; } };
const log: string[] = [];
class Held implements Disposable, AsyncDisposable {
  constructor(readonly name: string) {}
  [Symbol.dispose]() { log.push(this.name); }
  async [Symbol.asyncDispose]() { log.push(this.name); }
}
async function hold() {
  using first = new Held("first");
  await using second = new Held("second");
  return [first.name, second.name].join();
}
export const told = API("GET /told", async (ctx) => {
  const kept = await things.create(ctx, { name: "kept" });
  const { later } = await import("@lib/later.ts");
  return [await hold(), log.join(), deep, later, kept.name, process.env["LIB_SETUP"] ?? "", String(<b>bold</b>), both,
    Order.name, all.Order.name, new Refusal().name].join(" ");
});`,
};

const expectedText = "first,second second,first deep later kept set up b:bold both Order Order Refused";

test.each(mostTopologies)(
  "`using`, JSX, imports of every spelling, and names of functions and classes mean the same %s",
  async (...topology) => {
    await using app = await startFiles(topology, files);
    const answer = await fetch(`http://localhost:${app.port}/told`);
    expect(await answer.text()).toBe(JSON.stringify(expectedText));
  },
);

test("they mean the same in a test", async () => {
  using app = testedApp("node", {
    ...files,
    "shop/shop.test.ts": `${importTest("node")}
import assert from "node:assert/strict";
import { newTestApp } from "fw/testing";
import { told } from "./shop.tsx";
test("told", async () => {
  await using app = await newTestApp();
  assert.equal(await told.call(app.ctx(), {}), ${JSON.stringify(expectedText)});
});`,
  });
  expect(await app.run()).toMatchObject({ code: 0 });
});

test("TypeScript of a package that is linked runs in a test as under `fw dev`", async () => {
  const linked = mkdtempSync(join(tmpdir(), "fw-linked-"));
  writeFiles(linked, {
    "package.json": JSON.stringify({
      name: "linked",
      type: "module",
      exports: "./index.ts",
      imports: { "#one": "./one.ts" },
    }),
    "index.ts": `import { one } from "#one";\nexport enum Size { Small = "small" }\nexport const word = (size: Size): string => size + one;`,
    "one.ts": `export const one: number = 1;`,
  });
  using app = testedApp("node", {
    "shop/shop.ts": `import { API } from "fw";
import { Size, word } from "linked";
export const told = API("GET /told", () => word(Size.Small));`,
    "shop/shop.test.ts": `${importTest("node")}
import assert from "node:assert/strict";
import { newTestApp } from "fw/testing";
import { told } from "./shop.ts";
test("told", async () => {
  await using app = await newTestApp();
  assert.equal(await told.call(app.ctx(), {}), "small1");
});`,
  });
  symlinkSync(linked, join(app.root, "node_modules/linked"));
  expect(await app.run()).toMatchObject({ code: 0 });
  rmSync(linked, { recursive: true });
});
