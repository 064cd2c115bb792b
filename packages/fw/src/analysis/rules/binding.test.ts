import { describe, expect, test } from "vitest";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const imports = `import { API, Page, Site, type Blob, type Form, type Int, type Int64, type Path, type Query } from "fw";\nconst site = Site("./w", { build: { command: "x", out: "./w" } });\n`;

/**
 * Returns the findings for a module of the package `shop`, as lines without its path. Adds the imports to the module.
 */
function printed(source: string): Promise<string[]> {
  return bench.printShop(`${imports}${source}`);
}

const api = (route: string, request: string) =>
  `export const a = API("${route}", (_ctx, req: ${request}): string => String(req));`;
const page = (route: string, request: string) =>
  `export const p = Page("${route}", (ctx, req: ${request}) => site.render(ctx, "a.html", req));`;

const entityOf = (field: string) =>
  `-- shop/shop.ts --\nimport { Entity, type Blob, type ID, type Int64, type Json, type Transient } from "fw"; export interface Doc { id: ID;\n  ${field}\n}\nexport const docs = Entity<Doc>("docs");\nexport type Others = [Blob, Int64, Json, Transient<string>];\n`;

const listsOf = (field: string) =>
  `-- shop/shop.ts --
import { Entity, type ID, type Index, type Json, type Transient } from "fw";
export interface Doc { id: ID;
  ${field}
}
export const docs = Entity<Doc>("docs");
export interface Wrapped { cells: number[][] }
export interface Tree { children: Tree[] }
export interface Point { x: number }
export type Grid = number[][];
export type Endless = Endless[];
export type Others = [Index<string>, Json, Transient<string>];
`;

describe("unexported-req: a request type is unexported", () => {
  test("is reported at the type's name, once for all its routes", async () => {
    const routes = `${api("GET /a", "Req")}\n${api("GET /b", "Req").replace("const a", "const b")}`;
    expect(await printed(`interface Req { q?: Query }\n${routes}`)).toEqual([
      '3:11: the request type "Req" is not exported (fw/unexported-req)',
    ]);
  });

  test("an export further down counts", async () => {
    expect(await printed(`type Req = { q?: Query };\n${api("GET /a", "Req")}\nexport type { Req };`)).toEqual([]);
  });

  test("a type literal in the signature needs none", async () => {
    expect(await printed(api("GET /a", "{ q?: Query }"))).toEqual([]);
  });
});

describe("bind-type: a tagged field has an unsupported type, or a path: field is a list", () => {
  test.each([
    "Query",
    "Query<string[]>",
    "Query<boolean>",
    "Query<Int>",
    "Query<Int64>",
    "Query<number>",
    'Query<"a" | "b">',
    "Query<1 | 2>",
    "Query | undefined",
    "Query<Int[]>",
    "Query<(1 | 2)[]>",
    "Query<boolean[]>",
  ])("%s is supported", async (type) => {
    expect(await printed(api("GET /a", `{ x?: ${type} }`))).toEqual([]);
  });

  test.each([
    ["Query<Date>", "Date"],
    ["Query<Date[]>", "a list of Date"],
    ["Query<{ a: string }>", "an object"],
    ["Query<null>", "null"],
  ])("%s is not", async (type, name) => {
    expect(await printed(api("GET /a", `{ x?: ${type} }`))).toEqual([
      `3:46: "x" has a type that a query string cannot carry: ${name} (fw/bind-type)`,
    ]);
  });

  test("a path: field that is a list is reported at the field", async () => {
    expect(await printed(`export interface Req {\n  ids: Path<string[]>;\n}\n${api("GET /a/{ids}", "Req")}`)).toEqual([
      '4:3: "ids" is a list, but a path segment is a single value (fw/bind-type)',
    ]);
  });

  test("a Blob comes in a form, one a field", async () => {
    expect(await printed(api("POST /a", "{ x: Query<Blob> }"))).toEqual([
      '3:47: "x" is a Blob, which only a form can carry (fw/bind-type)',
    ]);
    expect(await printed(api("POST /a", "{ x: Form<Blob[]> }"))).toEqual([
      '3:47: "x" is a list of files, but a form field is one file (fw/bind-type)',
    ]);
  });

  test("a GET has no form", async () => {
    expect(await printed(page("GET /a", "{ x: Form }"))).toEqual([
      '3:46: "x" is a form field, but a GET request has no form (fw/bind-type)',
    ]);
  });

  test("a request has a form or a JSON body", async () => {
    expect(await printed(api("POST /a", "{ x: Form; y: string }"))).toEqual([
      '3:56: "y" would be read from a JSON body, and "x" from a form: a request has only one body (fw/bind-type)',
    ]);
  });
});

describe("body-on-get: a GET Req has untagged fields", () => {
  test("all of them are one mistake, at the first", async () => {
    expect(
      await printed(`export interface Req {\n  q: Query;\n  a: string;\n  b?: number;\n}\n${api("GET /a", "Req")}`),
    ).toEqual(['5:3: "a" and "b" would be read from a JSON body, which GET requests do not have (fw/body-on-get)']);
  });

  test("a marker that is not imported is only the error that TypeScript has", async () => {
    const route = `export const a = API("GET /a/{id}", (_ctx, req: { id: Path; n?: Cookies }) => req);`;
    const found = await bench.print(`-- shop/shop.ts --\nimport { API } from "fw";\n${route}\n`);
    expect(new Set(found.map((line) => line.replace(/^[^ ]+ /, "")))).toEqual(
      new Set(["TypeScript cannot resolve this type (fw/wire-type)"]),
    );
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("a %s has a body", async (method) => {
    expect(await printed(api(`${method} /a`, "{ a: string }"))).toEqual([]);
  });

  test("fields of a type from another module are told where they are declared", async () => {
    const app = `-- shop/shop.ts --\n${imports}import type { Req } from "./types.ts";\n${api("GET /a", "Req")}\n-- shop/types.ts --\nexport interface Req {\n  a: string;\n}\n`;
    expect((await bench.print(app))[0]).toMatch(/^shop\/types\.ts:2:3: "a" would be read/);
  });

  test.each(["{}", "Record<string, never>"])("an empty request is allowed: %s", async (request) => {
    expect(await printed(api("GET /a", request))).toEqual([]);
  });
});

describe("page-binding: a Page Req has an untagged field", () => {
  test.each(["GET", "POST"])("on a %s, and that is the one rule broken", async (method) => {
    const lines = await printed(page(`${method} /a`, "{ words: string }"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /"words" would be read from a JSON body, which browsers do not send to a page \(fw\/page-binding\)$/,
    );
  });
});

test("page-binding: an untagged field beside a form is one mistake", async () => {
  expect(await printed(page("POST /a", "{ f: Form; words?: string }"))).toEqual([
    '3:56: "words" would be read from a JSON body, which browsers do not send to a page (fw/page-binding)',
  ]);
});

describe("blob-binding: a Blob field is on a GET, untagged, or mixed with untagged fields", () => {
  test.each([
    ["GET /a", "{ f: Form<Blob> }", '3:46: the Blob "f" is on a GET, but a GET has no form'],
    ["GET /a", "{ f: Blob }", '3:46: the Blob "f" is not marked: files are sent in forms'],
    ["POST /a", "{ f: Blob; g: string }", '3:47: the Blob "f" is not marked: files are sent in forms'],
    ["POST /a", "{ f: Form<Blob>; g: string }", '3:62: "g" is not marked, but the Blob "f" makes the request a form'],
    ["GET /a", "{ f: Form<Blob>; g: string }", '3:46: the Blob "f" is on a GET, but a GET has no form'],
  ])("API %s with %s", async (route, request, message) => {
    expect(await printed(api(route, request))).toEqual([`${message} (fw/blob-binding)`]);
  });

  test.each(["{ f: Blob }", "{ f: Form<Blob>; g: string }"])("the same on a Page: %s", async (request) => {
    const found = await bench.diagnose(`-- shop/shop.ts --\n${imports}${page("POST /a", request)}`);
    expect(found.map(({ code }) => code)).toEqual(["fw/blob-binding"]);
  });

  test("beside marked fields it is fine", async () => {
    expect(await printed(api("POST /a/{id}", "{ id: Path; f: Form<Blob>; g?: Form; h?: Query }"))).toEqual([]);
  });
});

describe("wire-type: a type that cannot cross the wire", () => {
  test("is refused where it stands, in a request and in a response", async () => {
    const lines = await printed(
      `export interface Req {\n  a: symbol;\n}\nexport interface Res {\n  b: () => void;\n}\nexport const a = API("POST /a", (_ctx, _req: Req): Res => ({ b: () => {} }));`,
    );
    expect(lines.map((line) => line.replace(/: .*\(/, " ("))).toEqual(["4:3 (fw/wire-type)", "7:3 (fw/wire-type)"]);
  });

  const asUser = `import { Auth, Queue, type User } from "fw";\nexport const auth = Auth({ social: true });\n`;

  test.each([
    "(ctx) => ctx.user()",
    "async (ctx) => ctx.maybeUser()",
    "(ctx): User => ctx.user()",
    "(ctx) => ({ user: ctx.maybeUser() ?? null })",
    "(ctx) => ({ ...ctx.user(), since: ctx.now() })",
    "(ctx) => auth.users.list(ctx).page()",
  ])("a User can be sent, without its method: %s", async (handler) => {
    expect(await printed(`${asUser}export const a = API("GET /a", ${handler}, { signIn: true });`)).toEqual([]);
  });

  test("a User cannot be received: in a request or in a message it would have lost its method", async () => {
    const refused = "a User can only be sent in a response: its roles cannot be read back (fw/wire-type)";
    const request = `export const a = API("POST /a", (_ctx, req: { user: User }) => req.user.email);`;
    const queue = `export const q = Queue<User>("q");`;
    expect(await printed(`${asUser}${request}\n${queue}`)).toEqual([`5:53: ${refused}`, `6:24: ${refused}`]);
  });

  test.each([
    "Map<string, string>",
    "Set<string>",
    "() => void",
    "symbol",
    "URL",
    "Uint8Array",
    "Blob",
    "Map<string, Date>[]",
  ])("a document cannot hold %s", async (type) => {
    const found = await bench.diagnose(entityOf(`x: ${type}`));
    expect(found.map(({ code, at }) => `${at.line}:${at.column} ${code}`)).toEqual(["2:3 fw/wire-type"]);
  });

  test.each(["any", "any[]", "Index<any>", "Record<string, any>", "{ y?: any }[]", "Box<any>", "typeof anything"])(
    "a document cannot hold %s, of which nothing is checked",
    async (type) => {
      const boxes = "export interface Box<T> { value: T }\nexport const anything: any = 0;\n";
      const lines = await bench.print(`${entityOf(`x: ${type}`).replace("type ID,", "type ID, type Index,")}${boxes}`);
      expect(lines).toEqual([
        expect.stringMatching(/^shop\/shop\.ts:\d+:\d+: any cannot be stored in a document \(fw\/wire-type\)$/),
      ]);
    },
  );

  test.each([
    "bigint",
    "unknown",
    "Json",
    "`a${string}`",
    "[Date, ...string[]]",
    "Record<number, Int64>",
    "{ a: 1 } | null",
  ])("a document holds %s", async (type) => {
    expect(await bench.print(entityOf(`x: ${type}`))).toEqual([]);
  });

  test.each([
    ["any", "any"],
    ["string[]", "a list"],
    ["InstanceType<typeof Ordered>", "Ordered"],
    ["Ordered", "Ordered"],
    ["Plain", "Plain"],
    ["{ id: ID; plain: Plain }", "Plain"],
    ["Extending", "Ordered"],
  ])("an entity of %s is reported, not left out", async (type, name) => {
    const lines = await bench.print(
      `-- shop/shop.ts --\nimport { Entity, type ID } from "fw";\nexport class Plain {\n  id!: ID;\n}\nexport class Ordered {\n  id!: ID;\n  pay(): void {}\n}\nexport interface Extending extends Ordered {\n  n: number;\n}\nexport const all = Entity<${type}>("all");\n`,
    );
    expect(lines).toEqual([
      `shop/shop.ts:${type.startsWith("{") ? "2:14" : "12:27"}: ${name} cannot be stored in a document (fw/wire-type)`,
    ]);
  });

  test("what a document cannot hold is told where it is declared", async () => {
    const lines = await bench.print(entityOf("x: Line[] }\nexport interface Line {\n  at: Map<string, Date>"));
    expect(lines).toEqual(["shop/shop.ts:4:3: Map cannot be stored in a document (fw/wire-type)"]);
  });

  test.each([
    ["x: number[][]", "3:3"],
    ["x: readonly (readonly Point[])[]", "3:3"],
    ["x?: [number, number][]", "3:3"],
    ["x: [string[], string]", "3:3"],
    ["x: [number, ...string[][]]", "3:3"],
    ["x: Index<string[]>[]", "3:3"],
    ["x: (string | string[])[]", "3:3"],
    ["x: Array<Array<string>> | null", "3:3"],
    ["x: Record<string, number[][]>", "3:3"],
    ["x: Grid", "3:3"],
    ["x: Endless[]", "3:3"],
    ["x: { rows: number[][] }", "3:8"],
    ["x: Wrapped[]", "6:28"],
  ])("a list inside a list is reported at its field: %s", async (field, at) => {
    const path = `shop/shop.ts:${at}`;
    const lines = await bench.print(listsOf(field));
    expect(lines.filter((line) => line.endsWith("(fw/wire-type)"))).toEqual([
      `${path}: a list inside a list cannot be stored in a document (fw/wire-type)`,
    ]);
  });

  test.each([
    "x: { cells: number[] }[]",
    "x: Record<string, number[]>[]",
    "x: Record<string, number[]>",
    "x: [number, ...string[]]",
    "x: number[] | string[]",
    "x: Tree",
    "x: Json[]",
    "x?: Transient<number[][]>",
  ])("a document holds lists with objects between them: %s", async (field) => {
    expect(await bench.print(listsOf(field))).toEqual([]);
  });

  test("what is not kept of a document may be of any type", async () => {
    expect(await bench.print(entityOf("x?: Transient<Map<string, () => void>>"))).toEqual([]);
  });

  test("a method of that name in another type is a method", async () => {
    const own = `export interface Own {\n  hasRole(name: string): boolean;\n}`;
    expect(await printed(`${own}\nexport const a = API("GET /a", (): Own => ({ hasRole: () => true }));`)).toEqual([
      "4:3: a method cannot be sent as JSON (fw/wire-type)",
    ]);
  });

  test("a request that is none is told once, without missing parameters beside it", async () => {
    expect(await printed(api("GET /a/{id}", "string[]"))).toHaveLength(1);
  });
});
