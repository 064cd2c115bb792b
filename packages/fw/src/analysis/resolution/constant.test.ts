import { describe, expect, test } from "vitest";
import { quote } from "../source/expression.ts";
import { spanOf } from "../source/position.ts";
import { openProject } from "../source/project.ts";
import { writeApp } from "../testing/app.ts";
import { constantOf } from "./constant.ts";

/** Returns the value of `export const it = …` in main.ts, or the place and the reason if it is not constant. */
async function read(text: string): Promise<unknown> {
  await using app = await writeApp(text.includes("-- ") ? text : `-- main.ts --\n${text}`);
  const project = openProject(app.root);
  const module = project.module("main.ts")!;
  const binding = module.bindings.get("it");
  if (binding?.kind !== "variable" || !binding.node.init) throw new Error("no `it`");
  const constant = constantOf(project, module, binding.node.init);
  if (constant.ok) return constant.value;
  const cause = constant.cause && spanOf(constant.cause.module, constant.cause.node);
  return {
    at: quote(module, constant.at),
    why: constant.why,
    ...(cause ? { cause: `${cause.path}:${cause.line}:${cause.column}` } : {}),
  };
}

describe("a constant is what the source alone determines", () => {
  test.each([
    ['"GET /"', "GET /"],
    ["`GET /`", "GET /"],
    ["42", 42],
    ["-1.5e3", -1500],
    ["true", true],
    ["null", null],
    ["undefined", undefined],
    ["12n", 12n],
    ['"GET " + "/orders"', "GET /orders"],
    ["`/v${1 + 1}`", "/v2"],
    ["60 * 60 * 24", 86_400],
    ['("x" as const)', "x"],
    ['"x" satisfies string', "x"],
    ['<const>"x"', "x"],
    ['"x"!', "x"],
    ["!false", true],
    ['true ? "a" : unknown', "a"],
    ['1 > 2 ? unknown : "b"', "b"],
    ['null ?? "c"', "c"],
    ['"" || "d"', "d"],
    ["[1, [2], ...[3]]", [1, [2], 3]],
    ['{ a: 1, "b-c": { d: "e" }, ["f"]: 2, ...{ g: 3 } } as const', { a: 1, "b-c": { d: "e" }, f: 2, g: 3 }],
    ["Object.freeze({ a: 1 })", { a: 1 }],
    ['"\\u{1F600}\\n"', "😀\n"],
  ])("%s", async (source, value) => {
    expect(await read(`export const it = ${source};`)).toEqual(value);
  });

  test("taken out of an object", async () => {
    const source = 'const { base, deep: { a }, path: p } = { base: "/v1", deep: { a: 1 }, path: "x" };';
    expect(await read(`${source}\nexport const it = base + "/" + p;`)).toBe("/v1/x");
    expect(await read(`${source}\nexport const it = a;`)).toBe(1);
    const spare = "const { a = 1 } = { a: 2 };";
    expect(await read(`${spare}\nexport const it = a;`)).toMatchObject({ why: expect.stringContaining("pattern") });
  });

  test("across files: names, renamed imports, re-exports, namespaces, defaults, objects and enums", async () => {
    expect(
      await read(`
-- main.ts --
import base, { version as v, Area } from "./lib/index.js";
import * as all from "./lib";
import type { Unused } from "./lib";
export const it = [base, v, Area.Shop, all.ROUTES.users.list, all.deep.PATHS[1], \`\${all.base}/\${Area["Back office"]}\`, Area.Next];
-- lib/index.ts --
export { default, prefix as base } from "./base";
export * from "./routes.ts";
export * as deep from "./deep";
export type Unused = string;
-- lib/base.ts --
export const prefix = "/api";
export default \`\${prefix}/x\`;
-- lib/routes.ts --
import { prefix } from "./base";
const users = { list: \`\${prefix}/users\` } as const;
export const ROUTES = { users, ...{ more: 1 } };
export const version = 2;
export enum Area { Shop = "shop", "Back office" = "office", First = 4, Next }
-- lib/deep.ts --
export const PATHS = ["a", "b"] as const;
`),
    ).toEqual(["/api/x", 2, "shop", "/api/users", "b", "/api/office", 5]);
  });

  test("enums count up, refer to their members, and merge", async () => {
    const source =
      "enum E { A, B, C = B << 3, D, S = `s${C}` }\nenum E { Z = 9 }\nexport const it = [E.A, E.B, E.C, E.D, E.S, E.Z];";
    expect(await read(source)).toEqual([0, 1, 8, 9, "s8", 9]);
  });
});

describe("everything else is refused where it stands, with the reason", () => {
  test.each([
    ["makePath()", { at: "`makePath()`", why: "`makePath()` is a call, whose result is only known at run time" }],
    ["`GET ${process.env.PREFIX}`", { at: "`process.env.PREFIX`", why: "`process` is only known at run time" }],
    ["nope", { at: "`nope`", why: "`nope` is not declared in this file" }],
    ["/x/", { at: "`/x/`", why: "`/x/` is a regular expression" }],
    [
      "{ get a() { return 1; } }",
      { at: "`get a() { return 1; }`", why: "`get a() { return 1; }` is only known at run time" },
    ],
    ["{ f() {} }", { at: "`f() {}`", why: "`f() {}` is only known at run time" }],
    ["() => 1", { at: "`() => 1`", why: "`() => 1` is a function" }],
    ['"a".length', { at: '`"a".length`', why: '`"a"` is not an object or array literal' }],
    [
      "2n ** 9999999999n",
      { at: "`2n ** 9999999999n`", why: "`2n ** 9999999999n` cannot be evaluated by the analysis" },
    ],
    ['{ ["__proto__"]: 1 }', { at: '`["__proto__"]: 1`', why: "`__proto__` is not allowed as a key" }],
  ])("%s", async (source, failure) => {
    expect(await read(`export const it = ${source};`)).toMatchObject(failure);
  });

  test("a let, with where it is declared", async () => {
    const source =
      "-- main.ts --\nimport { prefix } from './a';\nexport const it = `GET ${prefix}/x`;\n-- a.ts --\nexport let prefix = '/a';\n";
    expect(await read(source)).toEqual({
      at: "`prefix`",
      why: "`prefix` is a variable that can change; declare it with const",
      cause: "a.ts:1:12",
    });
  });

  test("a constant that comes from a package", async () => {
    expect(await read("import { x } from 'left-pad';\nexport const it = x;")).toEqual({
      at: "`x`",
      why: '`x` comes from "left-pad", which is not a source file of this application',
    });
  });

  test.each([
    ["itself", "export const it = it;"],
    ["each other", "const a = b; const b = a; export const it = a;"],
    ["themselves in a spread", "const a = { ...a }; export const it = a.x;"],
    [
      "themselves across files",
      "-- main.ts --\nimport { b } from './b';\nexport const it = b.c + 'x';\n-- b.ts --\nimport { it } from './main';\nexport const b = { c: it };",
    ],
    [
      "re-exports of re-exports",
      "-- main.ts --\nimport { b } from './b';\nexport * from './b';\nexport const it = b;\n-- b.ts --\nexport * from './main';",
    ],
    [
      "doubling",
      `const c0 = "x";\n${Array.from({ length: 64 }, (_, i) => `const c${i + 1} = c${i} + c${i};`).join("\n")}\nexport const it = c64;`,
    ],
    ["nesting", `export const it = ${"[".repeat(2000)}${"]".repeat(2000)};`],
  ])("constants that lead to %s end", async (_, source) => {
    expect(await read(source)).toMatchObject({ why: expect.any(String) });
  });
});
