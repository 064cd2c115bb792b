import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { endpointsOf } from "../../model/declarations.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { openAnalyzer } from "../index.ts";
import { writeApp } from "../testing/app.ts";

/** Analyzes files: returns the routes, and each place that fw cannot follow. */
async function read(
  text: string,
): Promise<{ readonly routes: readonly string[]; readonly untraced: readonly string[] }> {
  await using app = await writeApp(`-- package.json --\n{ "name": "app", "type": "module" }\n${text}`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { app: model, diagnostics } = await analyzer.analyze();
    const routes = model.packages.flatMap((pkg) => endpointsOf(pkg).map(({ route }) => route.pattern));
    const found = diagnostics.filter(({ code }) => code === "fw/not-traced" || code === "fw/package-level");
    return { routes, untraced: found.map(({ code, at }) => `${code.slice(3)} ${at.path}:${at.line}`) };
  } finally {
    analyzer.close();
  }
}

const handler = "(): string => 'a'";

describe("a function of fw by another name is followed", () => {
  test.each([
    ["a const", "const Route = API;", "Route"],
    ["a let that nothing is assigned to", "let Route = API;", "Route"],
    ["a const with an assertion", "const Route = API as typeof API;", "Route"],
    ["an object", "const kit = { API };", "kit.API"],
    ["a frozen object", "const kit = Object.freeze({ Route: API });", "kit.Route"],
    ["nested objects", "const kit = { http: { API } } as const;", "kit.http.API"],
    ["a spread of fw", "const kit = { ...fw };", "kit.API"],
    ["a spread of an object", "const one = { API }; const kit = { ...one, Page };", "kit.API"],
    ["an array", "const kit = [API] as const;", "kit[0]"],
    ["a pattern of fw", "const { API: Route } = fw;", "Route"],
    ["a pattern with a quoted name", 'const { "API": Route } = fw;', "Route"],
    ["a nested pattern", "const { http: { API: Route } } = { http: { API } };", "Route"],
    ["a pattern of an array", "const [Route] = [API];", "Route"],
    ["a let pattern", "let { API: Route } = fw;", "Route"],
    ["element access", "", 'fw["API"]'],
    ["element access by a constant", 'const name = "API";', "fw[name]"],
    ["a choice of the same", "const Route = process.env['X'] ? API : API;", "Route"],
    ["a default of the same", "const Route = API ?? API;", "Route"],
    ["parentheses, assertions and !", "", "(API as typeof API)!"],
    ["an optional call", "", "API?."],
  ])("%s", async (_what, code, callee) => {
    const text = `import * as fw from "fw";\nimport { API, Page } from "fw";\n${code}\nexport const a = ${callee}("GET /a", ${handler});\nvoid Page;`;
    expect(await read(`-- a.ts --\n${text}`)).toEqual({ routes: ["GET /a"], untraced: [] });
  });

  test.each([
    ["a default of an object", 'import { API } from "fw";\nexport default { API };', "import kit", "kit.API"],
    ["a frozen default", 'import { API } from "fw";\nexport default Object.freeze({ API });', "import kit", "kit.API"],
    ["a star", 'export * from "fw";', "import * as kit", "kit.API"],
    ["a spread of a module", 'export * from "fw";', "import * as all", "kit.API"],
    ["a let", 'import { API } from "fw";\nexport let Route = API;', "import { Route }", "Route"],
    ["import equals", 'import fw = require("fw");\nexport const Route = fw.API;', "import { Route }", "Route"],
  ])("%s of another module", async (_what, kit, imported, callee) => {
    const spread = imported.endsWith("all") ? "const kit = { ...all };" : "";
    const text = `${imported} from "./kit.ts";\n${spread}\nexport const a = ${callee}("GET /a", ${handler});`;
    expect(await read(`-- kit.ts --\n${kit}\n-- a.ts --\n${text}`)).toEqual({ routes: ["GET /a"], untraced: [] });
  });
});

describe("a function of fw that cannot be followed is told where the trail ends", () => {
  test.each([
    ["a let that is assigned to", "let Route = API; Route = API;", "Route"],
    ["a variable that is assigned to later", "let Route: typeof API; Route = API;", "Route"],
    ["a choice of two", "const Route = process.env['X'] ? API : Page;", "Route"],
    ["a default of another", "const Route = other ?? API;", "Route"],
    ["a pattern with a default", "const { Route = API } = other;", "Route"],
    ["what is left over of fw", "const { Page: _, ...Route } = fw;", "Route.API"],
    ["bind", "const Route = API.bind(undefined);", "Route"],
    ["call", "", "API.call.bind(API, undefined)"],
    ["an argument", "const Route = ((x: typeof API) => x)(API);", "Route"],
    ["a list that is mapped", "const [Route] = [API].map((each) => each);", "Route"],
    ["a member of a class", "class Kit { static API = API }", "Kit.API"],
    ["a namespace", "namespace Kit { export const Route = API; }", "Kit.Route"],
    ["a function's result", "const give = () => API;", "give()"],
    ["a returned value", "function give() { return API; }", "give()"],
    ["a property that is assigned to", "const kit: any = {}; kit.API = API;", "kit.API"],
    ["an object with a computed key", "const kit: any = { [String(1)]: API };", "kit[1]"],
    ["an array with a spread", "const kit = [...other, API];", "kit[0]"],
    ["a constructor", "const kit = new Map([['API', API]]);", "kit.get('API')!"],
    ["Reflect", "", "((route: string, handle: () => string) => Reflect.apply(API, undefined, [route, handle]))"],
    ["fw handed on", "const Route = pick(fw);", "Route"],
    ["fw by a computed key", "const Route = fw[other];", "Route"],
    ["an object handed on", "const kit = { API }; const Route = pick(kit);", "Route"],
    ["import()", 'const Route = (await import("fw")).API;', "Route"],
    ["a pattern of import()", 'const { API: Route } = await import("fw");', "Route"],
    ["a variable of a function", "function f() { let Route = API; Route = API; return Route; }", "f()"],
  ])("%s", async (_what, code, callee) => {
    const text = `import * as fw from "fw";\nimport { API, Page } from "fw";\ndeclare const other: any; declare const pick: any;\n${code}\nexport const a = ${callee}("GET /a", ${handler});\nvoid Page;`;
    const { routes, untraced } = await read(`-- a.ts --\n${text}`);
    expect(routes).toEqual([]);
    expect(untraced).not.toEqual([]);
  });

  test("what declares nothing goes anywhere", async () => {
    const text = `import { API, Redirect, blob, Errorf } from "fw";\nconst all = [Redirect, blob].map((each) => each);\nlet fail = Errorf; fail = Errorf;\nexport const a = API("GET /a", ${handler});\nvoid all; void typeof API; if (API) void 0;`;
    expect(await read(`-- a.ts --\n${text}`)).toEqual({ routes: ["GET /a"], untraced: [] });
  });
});

describe("a constant that something may change is reported", () => {
  test.each([
    ["assigned to", "names.a = 'GET /b';", 6],
    ["assigned to by a computed key", "names[String(1) as 'a'] = 'GET /b';", 6],
    ["deleted", "delete (names as any).a;", 6],
    ["counted up", "(names as any).a++;", 6],
    ["taken apart into", "({ a: names.a } = { a: 'GET /b' });", 6],
    ["assigned to by Object.assign", "Object.assign(names, { a: 'GET /b' });", 6],
    ["assigned to by another name", "const others = names; others.a = 'GET /b';", 6],
    ["assigned to inside a function", "export function f() { const all = names; all.a = 'GET /b'; }", 6],
  ])("%s", async (_what, code, line) => {
    const text = `import { API } from "fw";\n\nconst names = { a: "GET /a" };\nexport const a = API(names.a, ${handler});\n\n${code}`;
    expect((await read(`-- a.ts --\n${text}`)).untraced).toEqual([`not-traced a.ts:${line}`]);
  });

  test("in another file, and of an array", async () => {
    const text = `import { API } from "fw";\nexport const names = ["GET /a"];\nexport const a = API(names[0]!, ${handler});`;
    const other = 'import * as lib from "./a.ts";\nlib.names.unshift("GET /b");';
    expect((await read(`-- a.ts --\n${text}\n-- b.ts --\n${other}`)).untraced).toEqual(["not-traced b.ts:2"]);
  });

  test.each([
    ["it is only read", "console.log(names.a.length, `${names.a}`, { ...names }, Object.values(names));"],
    ["a function gets it, which the load of the application watches", "declare const change: any; change(names);"],
    ["another of its name is changed", "export function f(names: any) { names.a = 1; }"],
  ])("but not where %s", async (_what, code) => {
    const text = `import { API } from "fw";\nconst names = { a: "GET /a" };\nexport const a = API(names.a, ${handler});\n${code}`;
    expect(await read(`-- a.ts --\n${text}`)).toEqual({ routes: ["GET /a"], untraced: [] });
  });
});

describe("a literal that a query's function reads is a constant only where it decides what the query asks", () => {
  const app = (code: string, where: string): string => `-- a.ts --
import { API, Entity, type ID, type Index } from "fw";
export interface Event { id: ID; at: Index<number>; kind: Index<string> }
export const events = Entity<Event>("events");
${code}
export const list = API("GET /events", async (ctx): Promise<string[]> => {
  const found = await events.query().${where}.all(ctx);
  return found.map((event) => ago(event.at));
});
`;
  const table = `const units: [string, number][] = [["day", 86_400_000], ["second", 1000]];
export function ago(ms: number): string {
  const [unit, size] = units.find(([, each]) => Math.abs(ms) >= each) ?? ["second", 1000];
  return unit + size;
}`;

  test.each([
    ["a lookup table", table],
    ["a table that is sorted", table.replace("units.find", "units.sort(([, a], [, b]) => b - a).find")],
    [
      "a cache",
      "const cache: Record<number, string> = { 0: 'now' };\nexport const ago = (ms: number): string => (cache[ms] ??= String(ms));",
    ],
    [
      "functions",
      "const words: Record<string, (n: number) => string> = { en: (n) => `${n} ago` };\nwords['de'] = (n) => `vor ${n}`;\nconst ago = (n: number) => words['en']!(n);",
    ],
  ])("%s is free", async (_what, code) => {
    expect((await read(app(code, 'where("kind", "==", "x")'))).untraced).toEqual([]);
  });

  test("fields of a filter are not", async () => {
    const code = `const fields: { by: "kind" | "at" } = { by: "kind" };\nfields.by = "at";\n${table}`;
    await using root = await writeApp(
      `-- package.json --\n{ "name": "app", "type": "module" }\n${app(code, 'where(fields.by, "==", "x" as never)')}`,
    );
    const analyzer = openAnalyzer(root.root);
    const { diagnostics } = await analyzer.analyze();
    analyzer.close();
    const places = diagnostics.map(({ at, related = [] }) => [at.line, ...related.map((each) => each.at.line)]);
    expect(places).toEqual([[5, 12]]);
  });

  test("an entity in a table is not", async () => {
    const code = `const tables = { events };\nexport function swap(other: typeof events): void { tables.events = other; }\n${table}\nvoid tables.events.query;`;
    const query = `${code}\nexport const all = API("GET /all", async (ctx): Promise<number> => (await tables.events.query().where("kind", "==", "x").all(ctx)).length);`;
    expect((await read(app(query, 'where("kind", "==", "x")'))).untraced).toContain("not-traced a.ts:5");
  });
});

describe("a file that declares something and is not read is reported", () => {
  const main = `import { API } from "fw";\nimport { b } from "SPECIFIER";\nexport const a = API("GET /a", ${handler});\nvoid b;`;
  const part = `import { API } from "fw";\nexport const b = API("GET /b", () => "b");`;

  test.each([
    ["JavaScript", "./b.js", "b.js"],
    ["a module of JavaScript", "./b.mjs", "b.mjs"],
    ["CommonJS", "./b.cjs", "b.cts"],
    ["a test", "./b.test.ts", "b.test.ts"],
    ["what tools make", "./dist/b.ts", "dist/b.ts"],
  ])("%s", async (_what, specifier, path) => {
    const { untraced } = await read(`-- a.ts --\n${main.replace("SPECIFIER", specifier)}\n-- ${path} --\n${part}`);
    expect(untraced).toEqual(["not-traced a.ts:2"]);
  });

  test("JavaScript that passes functions of fw on", async () => {
    const script = 'export { API as b } from "fw";';
    const { untraced } = await read(`-- a.ts --\n${main.replace("SPECIFIER", "./b.mjs")}\n-- b.mjs --\n${script}`);
    expect(untraced).toEqual(["not-traced a.ts:2"]);
  });

  test("in a directory with its own package.json, through a file that declares nothing", async () => {
    const { untraced } = await read(
      `-- a.ts --\n${main.replace("SPECIFIER", "./b/index.ts")}\n-- b/package.json --\n{ "type": "module" }\n-- b/index.ts --\nexport * from "./b.ts";\n-- b/b.ts --\n${part}`,
    );
    expect(untraced).toEqual(["not-traced a.ts:2"]);
  });

  test("in a directory whose package.json only says what kind of modules are in it, though nobody imports it", async () => {
    const files = `-- b/package.json --\n{ "type": "module" }\n-- b/inner/b.ts --\n${part}`;
    expect((await read(files)).untraced).toEqual(["not-traced b/inner/b.ts:1"]);
    expect((await read(files.replace("{ ", '{ "name": "other", '))).untraced).toEqual([]);
  });

  test("JavaScript without an importer", async () => {
    expect((await read(`-- b.mjs --\n${part}`)).untraced).toEqual(["not-traced b.mjs:1"]);
  });
});

describe("a shared package of an npm workspace", () => {
  /** Analyzes `apps/shop` of a workspace whose package `@acme/shared` exports the source. */
  async function findings(source: string, code: string): Promise<readonly Diagnostic[]> {
    await using workspace = await writeApp(`-- package.json --
{ "private": true, "workspaces": ["apps/*", "packages/*"] }
-- packages/shared/package.json --
{ "name": "@acme/shared", "type": "module", "exports": "./index.ts" }
-- packages/shared/index.ts --
${source}
-- apps/shop/package.json --
{ "name": "shop", "type": "module" }
-- apps/shop/a.ts --
${code}`);
    await mkdir(join(workspace.root, "node_modules/@acme"), { recursive: true });
    await symlink("../../packages/shared", join(workspace.root, "node_modules/@acme/shared"), "junction");
    const analyzer = openAnalyzer(join(workspace.root, "apps/shop"));
    try {
      return (await analyzer.analyze()).diagnostics;
    } finally {
      analyzer.close();
    }
  }

  const types = `import { Entity, RequireRole, Role, type ID } from "fw";
export interface Customer { id: ID; name: string }
export const label = ({ name }: Customer): string => name;
`;
  const user = `import { API } from "fw";
import { label } from "@acme/shared";
export const a = API("GET /a", (): string => label({ id: "1", name: "Ann" }));`;

  test.each([
    ["an entity", "customers", 'export const customers = Entity<Customer>("customers");'],
    ["a policy", "CanEdit", 'export const CanEdit = RequireRole(Role("editor"));'],
  ])(
    "that declares %s is refused where it is imported, with the declaration and a way out",
    async (_what, name, declaration) => {
      expect(await findings(`${types}${declaration}`, user)).toMatchObject([
        {
          code: "fw/not-traced",
          at: { path: "a.ts", line: 2 },
          message:
            "../../packages/shared/index.ts has declarations or exports functions of fw, but fw does not read it: it is outside the application's directory",
          hint: "move the declarations into a directory of this application, such as shared/; a package shares types, functions, classes and constants",
          related: [{ at: { path: "../../packages/shared/index.ts", line: 4 }, message: `"${name}" is declared here` }],
        },
      ]);
    },
  );

  test("shares types, functions, classes and constants", async () => {
    expect(await findings(`${types}export class Money { cents = 0; }\nexport const currency = "EUR";`, user)).toEqual(
      [],
    );
  });

  test("passes once its declarations are in shared/ of the application", async () => {
    const files = `${user.replace("@acme/shared", "./shared/customers.ts")}
-- apps/shop/shared/customers.ts --
${types}export const customers = Entity<Customer>("customers");`;
    expect(await findings("", files)).toEqual([]);
  });
});
