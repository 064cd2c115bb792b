import { describe, expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

/** Prints the findings of a module of the package `shop`, without its path. */
function printed(source: string): Promise<string[]> {
  return bench.printShop(`import { API, Page, Service, Site, StatusPage } from "fw";\n${source}`);
}

/** Returns the rules that an application breaks, in source order. */
async function broken(app: string): Promise<string[]> {
  return (await bench.diagnose(app)).map(({ code }) => code);
}

const a = (config: string) => `export const a = API("GET /a", () => 1, ${config});`;

const b = (config: string) => `export const b = API("GET /b", () => 1, ${config});`;

const page = (maxAge: string) =>
  `declare const age: "1m";\nconst site = Site("./w", { build: { command: "x", out: "./w" } });\nexport const p = Page("GET /", (ctx) => site.render(ctx, "a.html"), { maxAge: ${maxAge} });`;

describe("package-level: a handler is declared inside a function", () => {
  test.each([
    ["function make() { return API('GET /a', () => 1); }", "3:26", "declared inside a function"],
    ["let a = API('GET /a', () => 1);", "3:9", "in a let"],
    ["var a = API('GET /a', () => 1);", "3:9", "in a var"],
    ["export const all = { a: API('GET /a', () => 1) };", "3:25", "declared inside an object"],
    ["export const all = [API('GET /a', () => 1)];", "3:21", "declared inside an array"],
    ["export class Shop { static a = API('GET /a', () => 1); }", "3:32", "declared inside a class"],
    ["if (true) { const a = API('GET /a', () => 1); }", "3:23", "declared inside a block"],
    ["for (const p of ['a', 'b']) API(`GET /${p}`, () => 1);", "3:29", "declared inside a block"],
    ["API('GET /a', () => 1);", "3:1", "not in a const"],
    ["export default API('GET /a', () => 1);", "3:16", "exported without a name"],
    ["const { call } = API('GET /a', () => 1);", "3:18", "destructured where it is declared"],
    ["console.log(API('GET /a', () => 1));", "3:13", "declared as an argument"],
  ])("%s", async (source, position, where) => {
    expect(await printed(`declare const console: { log(x: unknown): void };\n${source}`)).toEqual([
      `${position}: API is ${where} (fw/package-level)`,
    ]);
  });

  test.each([
    "Page('GET /', (ctx) => site.render(ctx, 'a.html'))",
    "Site('./web')",
    "Service({})",
    "StatusPage((ctx) => site.render(ctx, 'a.html'))",
  ])("holds for every kind of declaration: %s", async (call) => {
    const [name] = call.split("(");
    const lines = await printed(`declare const site: ReturnType<typeof Site>;\nexport let x = ${call};`);
    expect(lines).toEqual([`3:16: ${name} is in a let (fw/package-level)`]);
  });

  test("a misplaced declaration is wrong once, whatever else is wrong with it", async () => {
    expect(await printed("function f(p: string) { API(p, () => 1, { signin: true }); }")).toEqual([
      "2:25: API is declared inside a function (fw/package-level)",
    ]);
  });

  test.each([
    "import * as fw from 'fw';\nfunction f() { fw.API('GET /a', () => 1); }",
    "import { API as A } from 'fw';\nfunction f() { A('GET /a', () => 1); }",
  ])("is seen through other names: %j", async (source) => {
    expect(await broken(`-- shop/shop.ts --\n${source}\nexport { f };`)).toEqual(["fw/package-level"]);
  });
});

describe("const-route: a route is not a string constant", () => {
  test.each([
    ["const base = '/v1';", "`GET ${base}/a`"],
    ["const base = '/v1';", "'GET ' + base + '/a'"],
    ["const paths = { a: '/a' } as const;", "`GET ${paths.a}`"],
    ["const enum Paths { A = '/a' }", "`GET ${Paths.A}`"],
    ["", "('GET /a' as const)"],
    ["", "('GET /a' satisfies string)"],
  ])("%s %s is one", async (before, route) => {
    expect(await printed(`${before}\nexport const a = API(${route}, () => 1);`)).toEqual([]);
  });

  test("constants of other modules count, through re-exports too", async () => {
    const app = `
-- shop/shop.ts --
import { API } from "fw";
import { base } from "./paths.ts";
export const a = API(\`GET \${base}/a\`, () => 1);
-- shop/paths.ts --
export { root as base } from "../root.ts";
-- root.ts --
export const root = "/v1";
`;
    expect(await broken(app)).toEqual([]);
  });

  test.each([
    ["let route = 'GET /a';", "route"],
    ["const route = String(Math.random());", "route"],
    ["const route = 7;", "route"],
    ["function route() { return 'GET /a'; }", "route()"],
    ["const args: ['GET /a'] = ['GET /a'];", "...args"],
  ])("%s API(%s) has none", async (before, route) => {
    const lines = await printed(`${before}\nexport const a = API(${route}, () => 1);`);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^3:22: the route is not a string constant.*\(fw\/const-route\)$/);
  });

  test("the place that makes it no constant is named", async () => {
    const [found] = await bench.diagnose(
      `-- shop/shop.ts --\nimport { API } from "fw";\nlet base = "/v1";\nexport const a = API("GET " + base, () => 1);`,
    );
    expect(found?.related).toEqual([
      { at: expect.objectContaining({ line: 2, column: 5 }), message: "it comes from here" },
    ]);
  });

  test("a call without arguments is pointed at itself", async () => {
    expect((await printed("export const a = API();"))[0]).toMatch(/^2:18: the route is not a string constant/);
  });
});

describe("route-conflict: two routes in one service are a pair the router refuses", () => {
  test("each pair is reported once, at the later, with the earlier beside it", async () => {
    const app = `
-- shop/a.ts --
import { API } from "fw";
export const a = API("GET /orders", () => 1);
-- shop/b.ts --
import { API } from "fw";
export const b = API("GET /orders", () => 1);
export const c = API("GET /orders", () => 1);
`;
    const found = await bench.diagnose(app);
    expect(found.map(({ at }) => `${at.path}:${at.line}:${at.column}`)).toEqual(["shop/b.ts:2:22", "shop/b.ts:3:22"]);
    expect(found.map(({ related }) => related?.[0]?.at.path)).toEqual(["shop/a.ts", "shop/a.ts"]);
  });

  test("a twin is named before an overlap", async () => {
    const lines = await printed(`
export const a = API("GET /{x}/b", (_ctx, _req) => 1);
export const b = API("GET /a/{y}", (_ctx, _req) => 1);
export const c = API("GET /a/{z}", (_ctx, _req) => 1);`);
    expect(lines).toEqual([
      '4:22: "GET /a/{y}" and "GET /{x}/b" both match /a/b, and neither is more specific (fw/route-conflict)',
      '5:22: "GET /a/{z}" answers the same requests as "GET /a/{y}" (fw/route-conflict)',
    ]);
  });

  test.each([
    ["GET /a/{x}", "GET /a/b"],
    ["GET /{x}/{y}", "GET /{x}/b"],
    ["GET /a", "POST /a"],
    ["GET /a", "GET /a/{x}"],
    ["GET /a/{x}/c", "GET /a/{x}/d"],
    ["GET /{x}/b", "GET /{x}/c"],
  ])("%s and %s live together", async (first, second) => {
    expect(
      await printed(
        `export const a = API("${first}", (_ctx, _req) => 1);\nexport const b = API("${second}", (_ctx, _req) => 1);`,
      ),
    ).toEqual([]);
  });

  test("a malformed route conflicts with nothing", async () => {
    expect(
      await printed(`export const a = API("GET x", () => 1);\nexport const b = API("GET x", () => 1);`),
    ).toHaveLength(2);
  });
});

describe("reserved-prefix: a route is inside /_fw/", () => {
  test.each(["GET /_fw/x", "GET /_fw", "POST /_fw/api/session", "GET /_fw/", "GET /_fw/*"])(
    "%s is refused",
    async (route) => {
      expect(await printed(`export const a = API("${route}", () => 1);`)).toEqual([
        `2:22: the route "${route}" is inside /_fw/ (fw/reserved-prefix)`,
      ]);
    },
  );

  test.each(["GET /{x}/fw", "GET /_fwd", "GET /a/_fw/b"])("%s is not", async (route) => {
    expect(await printed(`export const a = API("${route}", (_ctx, _req) => 1);`)).toEqual([]);
  });

  test("a redirect from there would never be reached either", async () => {
    const app = `
-- shop/shop.ts --
import { Site } from "fw";
export const site = Site("./w", { redirects: { "/_fw/signin": "/" }, build: { command: "x", out: "./w" } });
`;
    expect(await bench.print(app)).toEqual([
      'shop/shop.ts:2:48: the redirect of "/_fw/signin" is inside /_fw/ (fw/reserved-prefix)',
    ]);
  });
});

describe("route-params: a {param} and a path: tag do not match up, in either direction", () => {
  const types = 'import type { Int, Path, Query } from "fw";\n';

  test("a request that several routes share is judged by each", async () => {
    const lines = await printed(`${types}export interface Ref { id: Path }
export const a = API("GET /a/{id}", (_ctx, req: Ref) => req);
export const b = API("GET /b/{key}", (_ctx, req: Ref) => req);
export const c = API("GET /c", (_ctx, req: Ref) => req);`);
    expect(lines).toEqual([
      '3:24: "id" is bound to {id}, which the route "GET /b/{key}" does not have (fw/route-params)',
      '3:24: "id" is bound to {id}, which the route "GET /c" does not have (fw/route-params)',
    ]);
  });

  test.each([
    ["GET /a/{post_id}", "{ postId: Path<Int, 'post_id'> }"],
    ["GET /a/{id}", "{ id: Path; q?: Query }"],
    ["GET /a/{x}/{y}", "{ x: Path } & { y: Path<Int> }"],
    ["GET /a/{id}", "Pick<{ id: Path; other: Path }, 'id'>"],
  ])("%s matches %s", async (route, request) => {
    expect(
      await printed(`${types}export const a = API("${route}", (_ctx, req: ${request}) => req.constructor.name);`),
    ).toEqual([]);
  });

  test("several mismatches are paired by their names", async () => {
    const lines = await printed(
      `${types}export const a = API("GET /{customer}/{order}/{line}", (_ctx, req: { costumer: Path; ordre: Path }) => req);`,
    );
    expect(lines.map((line) => line.replace(/^3:\d+/, ""))).toEqual([
      ': the route "GET /{customer}/{order}/{line}" has {line}, but the request has no Path field for it (fw/route-params)',
      ': "costumer" is bound to {costumer}, which the route "GET /{customer}/{order}/{line}" does not have (fw/route-params)',
      ': "ordre" is bound to {ordre}, which the route "GET /{customer}/{order}/{line}" does not have (fw/route-params)',
    ]);
  });

  test("a field of that name that is bound elsewhere is pointed out", async () => {
    const [found] = await bench.diagnose(
      `-- shop/shop.ts --\nimport { API, type Query } from "fw";\nexport const a = API("GET /a/{id}", (_ctx, req: { id: Query }) => req);`,
    );
    expect(found).toMatchObject({ hint: "write id: Path", related: [{ at: { line: 2, column: 51 } }] });
  });

  test("a request without an annotation has every parameter", async () => {
    expect(await printed('export const a = API("GET /a/{id}", (_ctx, req) => req.id);')).toEqual([]);
  });

  test("a handler that takes no request has none", async () => {
    expect(await printed('export const a = API("GET /a/{id}", () => 1);')).toEqual([
      '2:22: the route "GET /a/{id}" has {id}, but the request has no Path field for it (fw/route-params)',
    ]);
  });

  test("a Path field of an impossible type is wrong once", async () => {
    expect(
      await printed(`${types}export const a = API("GET /a/{id}", (_ctx, req: { id: Path<never[]> }) => 1);`),
    ).toHaveLength(1);
  });
});

describe("mixed-ingress: public and Private routes share a package", () => {
  test("is reported at the first handler that differs", async () => {
    const c = 'export const c = API("GET /c", () => 1);';
    expect(await printed([a("{ private: true }"), c, b("{}")].join("\n"))).toEqual([
      '3:22: the package "shop" mixes private routes with public ones (fw/mixed-ingress)',
    ]);
  });

  test.each([
    ["{ private: true }", "{ private: true }"],
    ["{ private: false }", "{}"],
    ["{ private: undefined }", "{}"],
  ])("%s and %s agree", async (first, second) => {
    expect(await printed(`${a(first)}\n${b(second)}`)).toEqual([]);
  });

  test("a Site is public", async () => {
    expect(
      await printed(
        `export const site = Site("./w", { build: { command: "x", out: "./w" } });\n${a("{ private: true }")}`,
      ),
    ).toEqual(['3:52: the package "shop" mixes private routes with a public site (fw/mixed-ingress)']);
  });

  test("a route whose config cannot be read is neither", async () => {
    expect(
      await broken(
        `-- shop/shop.ts --\nimport { API } from "fw";\ndeclare const c: {};\n${a("c")}\n${b("{ private: true }")}`,
      ),
    ).toEqual(["fw/config-literal"]);
  });
});

describe("max-age: MaxAge is not a constant between 1s and one year", () => {
  test.each(['"1s"', '"1000ms"', '"10m"', '"1.5m"', '"365d"', '"8760h"', "`${10}m`", "undefined"])(
    "%s is one",
    async (value) => {
      expect(await printed(page(value))).toEqual([]);
    },
  );

  test.each([
    ['"0s"', 'the maxAge "0s" is shorter than 1 second'],
    ['"999ms"', 'the maxAge "999ms" is shorter than 1 second'],
    ['"366d"', 'the maxAge "366d" is longer than one year'],
    ['"31536001s"', 'the maxAge "31536001s" is longer than one year'],
    ['"1500ms"', 'the maxAge "1500ms" is not a whole number of seconds'],
    ['"10 minutes"', 'the maxAge "10 minutes" is not a duration'],
    ['"-1s"', 'the maxAge "-1s" is not a duration'],
    ['"1e3s"', 'the maxAge "1e3s" is not a duration'],
    ["600", "maxAge is not a duration"],
    ["null", "maxAge is not a duration"],
  ])("%s is none", async (value, message) => {
    expect(await printed(page(value))).toEqual([`4:79: ${message} (fw/max-age)`]);
  });

  test("a computed one is refused by this rule alone", async () => {
    const lines = await printed(page("age"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^4:79: maxAge is not a constant: .* \(fw\/max-age\)$/);
  });
});

describe("cache-signin: MaxAge on a route that requires sign-in", () => {
  test("signIn: false requires none", async () => {
    expect(await printed('export const a = API("GET /a", () => 1, { signIn: false, maxAge: "1m" });')).toEqual([]);
  });

  test("is reported at maxAge, by whatever constant signIn is true", async () => {
    expect(
      await printed('const closed = true;\nexport const a = API("GET /a", () => 1, { maxAge: "1m", signIn: closed });'),
    ).toEqual(["3:51: a route that requires sign-in cannot have a shared cache (fw/cache-signin)"]);
  });
});

describe("route-status: the status of a route is a constant success status, of an API", () => {
  test.each([
    ["{ status: 200 }", []],
    ["{ status: 204 }", ["a response with status 204 has no body, but this handler returns one"]],
    ["{ status: 199 }", ["the status 199 cannot be the status of a route"]],
    ["{ status: 304 }", ["the status 304 cannot be the status of a route"]],
    ["{ status: NaN }", ["the status is not a constant: `NaN` is only known at run time"]],
    ["{ status: '201' }", ["the status is not a constant number"]],
    ["{ status: undefined }", []],
  ])("%s", async (config, messages) => {
    const found = (await bench.diagnose(`-- shop/shop.ts --\nimport { API } from "fw";\n${a(config)}`)).filter(
      ({ code }) => code.startsWith("fw/"),
    );
    expect(found.map(({ message }) => message)).toEqual(messages);
  });
});

describe("max-body: maxBody is a constant size, on a route whose requests have a body", () => {
  const post = (type: string, size: string): string =>
    `-- shop/shop.ts --\nimport { API, Page, type Blob, type Form } from "fw";\nexport const a = API("POST /a", (_ctx, _req: { a: ${type} }) => {}, { maxBody: ${size} });`;

  test.each([
    ["string", '"1B"', []],
    ["string", '"32MB"', []],
    ["string", '"0B"', ['the maxBody "0B" allows no body']],
    ["string", '"33MB"', ['the maxBody "33MB" is larger than 32MB']],
    ["Form", '"33MB"', ['the maxBody "33MB" is larger than 32MB']],
    ["Form<Blob>", '"1GB"', []],
    ["Form<Blob>", '"1.5GB"', ['the maxBody "1.5GB" is larger than 1GB']],
    ["string", "1024", ["the maxBody 1024 is not a size"]],
    ["string", '"1kB"', ['the maxBody "1kB" is not a size']],
  ])("%s %s", async (type, size, messages) => {
    const found = (await bench.diagnose(post(type, size))).filter(({ code }) => code.startsWith("fw/"));
    expect(found.map(({ message }) => message)).toEqual(messages);
  });
});
