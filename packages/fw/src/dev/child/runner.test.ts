import { writeFileSync } from "node:fs";
import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import vm from "node:vm";
import { expect, test, vi } from "vitest";
import { files, type Files } from "../../workspace/testing/files.ts";
import { Runner } from "./runner.ts";
import { SourceError } from "./source-error.ts";
import { mapStackTraces } from "./stack.ts";

function runnerOf(app: Files, virtual = new Map<string, string>()): Runner {
  return new Runner({ root: app.root, virtual });
}

async function run(runner: Runner, entry: string, changed: string[] = []): Promise<Record<string, unknown>> {
  const loaded = await runner.load(entry, changed);
  loaded.commit();
  return loaded.exports;
}

async function refusal(promise: Promise<unknown>): Promise<SourceError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof SourceError) return error;
  throw new Error(`expected a SourceError, got ${String(error)}`);
}

function mappedStack(runner: Runner, fail: () => void): string | undefined {
  const native: unknown = Reflect.get(Error, "prepareStackTrace");
  mapStackTraces(runner.transformed);
  try {
    fail();
  } catch (error) {
    return (error as Error).stack;
  } finally {
    Reflect.set(Error, "prepareStackTrace", native);
  }
  throw new Error("expected a failure");
}

test("a load compiles nothing that was prepared and is still the same", async () => {
  using app = files({ "main.ts": `export { a } from "./a.ts";`, "a.ts": "export const a = 1;", "b.ts": "let b = ;" });
  const { Script } = vm;
  let compiled: string[] = [];
  vm.Script = class extends Script {
    constructor(code: string, options: vm.ScriptOptions) {
      super(code, options);
      compiled.push(basename(options.filename ?? ""));
    }
  };
  try {
    const runner = runnerOf(app);
    runner.prepare(["main.ts", "a.ts", "b.ts"].map((name) => app.path(name)));
    await vi.waitFor(() => expect(compiled.toSorted()).toEqual(["a.ts", "main.ts"]));
    compiled = [];
    app.write({ "a.ts": "export const a = 2;" });
    expect(await run(runner, app.path("main.ts"))).toMatchObject({ a: 2 });
    expect(compiled).toEqual(["a.ts"]);
  } finally {
    vm.Script = Script;
  }
});

test("types are stripped, type-only imports never run, enums work", async () => {
  using app = files({
    "main.ts": `import { type A, Kind, B } from "./types.ts"; import type { Gone } from "./gone.ts";
export const a: A & Partial<B> = { n: 1 }; export const kind: Kind = Kind.Two; export type G = Gone;`,
    "types.ts": `export interface A { n: number } export interface B { s: string } export enum Kind { One, Two }`,
  });
  expect(await run(runnerOf(app), app.path("main.ts"))).toMatchObject({ a: { n: 1 }, kind: 1 });
});

test("modules in a cycle see each other's functions and live bindings", async () => {
  using app = files({
    "a.ts": `import { b } from "./b.ts"; export let count = 0; export function a() { count++; return "a"; } export const both = b();`,
    "b.ts": `import { a, count } from "./a.ts"; export function b() { return "b"; } export const later = () => [a(), count];`,
    "main.ts": `export * from "./a.ts"; export * as star from "./b.ts"; export { later as default } from "./b.ts";`,
  });
  const main = await run(runnerOf(app), app.path("main.ts"));
  expect(main.both).toBe("b");
  expect((main.default as () => unknown)()).toEqual(["a", 1]);
  expect(main.count).toBe(1);
  expect(Object.keys(main.star as object).toSorted()).toEqual(["b", "later"]);
});

test("a constant read too early in a cycle throws as in any ES module", async () => {
  using app = files({
    "a.ts": `import "./b.ts"; export const a = 1;`,
    "b.ts": `import { a } from "./a.ts"; export const b = a;`,
  });
  await expect(run(runnerOf(app), app.path("a.ts"))).rejects.toThrow(ReferenceError);
});

test("top-level await, dynamic import, JSON, import.meta and node_modules work", async () => {
  using app = files({
    "main.ts": `import data from "./data.json" with { type: "json" }; import fs from "node:fs"; import { answer } from "pkg";
export const late = await import("./late.ts"); export const meta = import.meta;
export const out = { data, answer, late: late.value, read: typeof fs.readFileSync, sibling: import.meta.resolve("./x.ts") };`,
    "late.ts": `export const value = await Promise.resolve("late");`,
    "data.json": `{ "n": 1 }`,
    "node_modules/pkg/package.json": `{ "name": "pkg", "type": "module", "exports": "./i.js" }`,
    "node_modules/pkg/i.js": `export const answer = 42;`,
  });
  const main = await run(runnerOf(app), app.path("main.ts"));
  expect(main.out).toEqual({
    data: { n: 1 },
    answer: 42,
    late: "late",
    read: "function",
    sibling: pathToFileURL(app.path("x.ts")).href,
  });
  expect(main.meta).toMatchObject({
    url: pathToFileURL(app.path("main.ts")).href,
    filename: app.path("main.ts"),
    dirname: app.root,
  });
});

test("imports without an extension and of .js for .ts find the source", async () => {
  using app = files({
    "main.ts": `import { a } from "./a"; import { b } from "./b.js"; import { c } from "./dir"; export const all = [a, b, c];`,
    "a.ts": `export const a = 1;`,
    "b.ts": `export const b = 2;`,
    "dir/index.ts": `export const c = 3;`,
  });
  expect((await run(runnerOf(app), app.path("main.ts"))).all).toEqual([1, 2, 3]);
});

test("a change evaluates the edited module and its importers anew, and nothing else", async () => {
  using app = files({
    "main.ts": `import { left } from "./left.ts"; import { right } from "./right.ts"; export const all = [left, right];`,
    "left.ts": `import { word } from "./word.ts"; export const left = { word };`,
    "right.ts": `export const right = { n: Math.random() };`,
    "word.ts": `export const word = "one";`,
  });
  const runner = runnerOf(app);
  const before = (await run(runner, app.path("main.ts"))).all as object[];
  app.write({ "word.ts": `export const word = "two";` });
  const loaded = await runner.load(app.path("main.ts"), [app.path("word.ts")]);
  const after = loaded.exports.all as object[];
  expect(after[0]).toEqual({ word: "two" });
  expect(after[1]).toBe(before[1]);
  expect(before[0]).toEqual({ word: "one" });
  expect(loaded.evaluated).toBe(3);
});

test("a change of comments or types alone evaluates nothing, and traces name the new lines", async () => {
  using app = files({
    "main.ts": `import { fail } from "./fail.ts"; export { fail };`,
    "fail.ts": `export function fail(): never { throw new Error("boom"); }`,
  });
  const runner = runnerOf(app);
  const before = await run(runner, app.path("main.ts"));
  app.write({
    "fail.ts": `// A comment.\ninterface Gone {}\nexport function fail(): Gone { throw new Error("boom"); }`,
  });
  const loaded = await runner.load(app.path("main.ts"), [app.path("fail.ts")]);
  loaded.commit();
  expect(loaded.evaluated).toBe(0);
  expect(loaded.exports.fail).toBe(before.fail);
  expect(mappedStack(runner, loaded.exports.fail as () => never)).toContain(`${app.path("fail.ts")}:3:`);
});

test("what was transformed ahead is taken while it is what the file says", async () => {
  using app = files({ "main.ts": `export { a } from "./a.ts";`, "a.ts": `export const a = 1;` });
  const runner = runnerOf(app);
  await run(runner, app.path("main.ts"));
  app.write({ "a.ts": `export const a = 2;` });
  runner.ahead([app.path("a.ts"), app.path("unknown.ts")]);
  expect((await run(runner, app.path("main.ts"), [app.path("a.ts")])).a).toBe(2);
  app.write({ "a.ts": `export const a = ;` });
  runner.ahead([app.path("a.ts")]);
  app.write({ "a.ts": `export const a = 3;` });
  expect((await run(runner, app.path("main.ts"), [app.path("a.ts")])).a).toBe(3);
});

test("a module that throws leaves the old ones in place, and the change is not forgotten", async () => {
  using app = files({
    "main.ts": `import { a } from "./a.ts"; import { b } from "./b.ts"; export const all = [a, b];`,
    "a.ts": `export const a = 1;`,
    "b.ts": `export const b = 1;`,
  });
  const runner = runnerOf(app);
  await run(runner, app.path("main.ts"));
  app.write({ "a.ts": `export const a = 2; throw new Error("no");` });
  await expect(runner.load(app.path("main.ts"), [app.path("a.ts")])).rejects.toThrow("no");
  app.write({ "a.ts": `export const a = 3;` });
  app.write({ "b.ts": `export const b = 2;` });
  expect((await run(runner, app.path("main.ts"), [app.path("a.ts"), app.path("b.ts")])).all).toEqual([3, 2]);
});

test("a failed change is taken up again by the next change of another file", async () => {
  using app = files({
    "main.ts": `import { a } from "./a.ts"; export const got = a;`,
    "a.ts": `import { b } from "./b.ts"; export const a = [1, b];`,
    "b.ts": `export const b = 1;`,
  });
  const runner = runnerOf(app);
  await run(runner, app.path("main.ts"));
  app.write({
    "a.ts": `import { b } from "./b.ts"; if (b === 1) throw new Error("not yet"); export const a = [2, b];`,
  });
  await expect(runner.load(app.path("main.ts"), [app.path("a.ts")])).rejects.toThrow("not yet");
  app.write({ "b.ts": `export const b = 2;` });
  expect((await run(runner, app.path("main.ts"), [app.path("b.ts")])).got).toEqual([2, 2]);
});

test("an unchanged module's later dynamic import finds the new code", async () => {
  using app = files({
    "main.ts": `import { late } from "./lazy.ts"; import { word } from "./word.ts"; export { late, word };`,
    "lazy.ts": `export const late = () => import("./word.ts");`,
    "word.ts": `export const word = "one";`,
  });
  const runner = runnerOf(app);
  await run(runner, app.path("main.ts"));
  app.write({ "word.ts": `export const word = "two";` });
  const main = await run(runner, app.path("main.ts"), [app.path("word.ts")]);
  expect(await (main.late as () => Promise<{ word: string }>)()).toMatchObject({ word: "two" });
});

test("a syntax error says where, before any code runs", async () => {
  using app = files({
    "main.ts": `import "./effect.ts"; import "./bad.ts";`,
    "effect.ts": `globalThis.fwTestEffect = true;`,
    "bad.ts": `export const a = 1;\nexport const b = ;\n`,
  });
  const error = await refusal(runnerOf(app).load(app.path("main.ts"), []));
  expect(error).toMatchObject({ path: app.path("bad.ts"), line: 2, column: 18, message: "Unexpected token" });
  expect(globalThis).not.toHaveProperty("fwTestEffect");
});

test("a missing module and a missing export are refused at the import", async () => {
  using app = files({
    "main.ts": `export const a = 1;\nimport { x } from "./nowhere.ts";\nconsole.log(x);`,
    "named.ts": `import { nope } from "./a.ts";\nconsole.log(nope);`,
    "a.ts": `export const a = 1;`,
  });
  const missing = await refusal(runnerOf(app).load(app.path("main.ts"), []));
  expect(missing).toMatchObject({ message: `cannot find "./nowhere.ts"`, line: 2, column: 19 });
  const unnamed = await refusal(runnerOf(app).load(app.path("named.ts"), []));
  expect(unnamed.message).toBe(`"./a.ts" has no export named nope`);
});

test("stack traces name the lines of the source", async () => {
  using app = files({
    "main.ts": `interface Long {\n  a: string;\n}\n\nexport function fail(value: Long): never {\n  throw new Error(value.a);\n}\n`,
  });
  const runner = runnerOf(app);
  const { fail } = await run(runner, app.path("main.ts"));
  const stack = mappedStack(runner, () => (fail as (v: unknown) => void)({ a: "boom" }));
  expect(stack).toContain(`${app.path("main.ts")}:6:9`);
});

test("generated modules come from memory and may import the application's", async () => {
  using app = files({ "a.ts": `export const a = 1;` });
  const entry = app.path(".fw/entry.js");
  const virtual = new Map([[entry, `import { a } from ${JSON.stringify(app.path("a.ts"))}; export default { a };`]]);
  const runner = runnerOf(app, virtual);
  expect((await run(runner, entry)).default).toEqual({ a: 1 });
  virtual.set(entry, `export default "second";`);
  expect((await run(runner, entry, [entry])).default).toBe("second");
  expect(runner.transformed(app.path("a.ts"))).toBeUndefined();
});

test("replaced modules are freed", async () => {
  using app = files({ "a.ts": "", "main.ts": `export { big } from "./a.ts";` });
  const runner = runnerOf(app);
  const old: WeakRef<object>[] = [];
  for (let i = 0; i < 30; i++) {
    writeFileSync(app.path("a.ts"), `export const big = { n: ${i} };`);
    const { big } = await run(runner, app.path("main.ts"), [app.path("a.ts")]);
    old.push(new WeakRef(big as object));
  }
  const { setFlagsFromString } = await import("node:v8");
  setFlagsFromString("--expose-gc");
  const gc = (await import("node:vm")).runInNewContext("gc") as () => void;
  await new Promise((resolve) => setImmediate(resolve));
  gc();
  expect(old.filter((ref) => ref.deref() !== undefined).length).toBeLessThanOrEqual(2);
});
