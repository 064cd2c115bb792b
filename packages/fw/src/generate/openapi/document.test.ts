import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 as Ajv } from "ajv/dist/2020.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAppBench, type AppBench } from "../../analysis/testing/app-bench.ts";
import { catalogue } from "../client/testing/catalogue.ts";
import { graph, graphText } from "../graph/graph.ts";
import { openApi, type OpenApi } from "./document.ts";

const golden = fileURLToPath(new URL("../../../test-data/generate/client", import.meta.url));

let bench: AppBench;
beforeAll(async () => {
  bench = await openAppBench(["zod"]);
});
afterAll(() => bench.close());

async function documentOf(app: string): Promise<OpenApi> {
  const { app: model, diagnostics } = await bench.analyze(app);
  expect(diagnostics).toEqual([]);
  return openApi(model, await bench.descriptions());
}

test("the document has every type and every API that is not private, and is valid OpenAPI 3.1", async () => {
  const document = await documentOf(catalogue);
  await expect(`${JSON.stringify(document, undefined, 2)}\n`).toMatchFileSnapshot(
    join(golden, "catalogue.openapi.json.txt"),
  );
  const validator = new Validator();
  expect(await validator.validate({ ...document })).toEqual({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("paths that differ in the names of their parameters are one, constants of one name have ids of their own", async () => {
  const { paths } = await documentOf(`
-- a/a.ts --
import { API } from "fw";
import type { Path } from "fw";
export interface Row { id: Path; to: string }
export const row = API("GET /rows/{id}", (_ctx, { id }) => id);
export const move = API("PUT /rows/{key}", (_ctx, { key }: { key: Path }) => key);
export const own = API("POST /own/{id}", (_ctx, _req: Row): Row[] => []);
-- b/b.ts --
import { API } from "fw";
export const row = API("GET /other", () => 1);
export const again = API("GET /rows/{id}", (_ctx, { id }) => id);
`);
  const rows = paths["/rows/{id}"] ?? {};
  expect([Object.keys(paths), Object.keys(rows)]).toEqual([
    ["/rows/{id}", "/own/{id}", "/other"],
    ["get", "put"],
  ]);
  expect(rows["put"]).toMatchObject({ operationId: "move", parameters: [{ name: "id", in: "path" }] });
  expect(rows["get"]?.["operationId"]).toBe("a_a_row");
  // A request with bound fields has a different shape than a value of its type.
  expect(paths["/own/{id}"]?.["post"]).toMatchObject({
    requestBody: { content: { "application/json": { schema: { properties: { to: { type: "string" } } } } } },
  });
});

test("the errors of a package with an error shape have its type", async () => {
  const { paths, components } = await documentOf(`
-- a/a.ts --
import { API, ErrorShape, Errorf } from "fw";
export interface Problem { title: string }
export const errors = ErrorShape(({ message }): Problem => ({ title: message }));
export const add = API("POST /a", (_ctx, { n }: { n: number }) => (n > 1 ? Errorf(409, "too many") : { n }));
-- b/b.ts --
import { API } from "fw";
export const plain = API("GET /b", () => 1);
`);
  const shaped = { "application/json": { schema: { $ref: "#/components/schemas/Problem" } } };
  const responses = (paths["/a"]?.["post"]?.["responses"] ?? {}) as Record<string, object>;
  expect(Object.keys(responses)).toEqual(["200", "400", "409", "413", "415", "default"]);
  for (const status of ["400", "409", "413", "415", "default"])
    expect(responses[status]).toMatchObject({ content: shaped });
  expect(Object.keys(components["schemas"] as object)).toEqual(["Problem"]);
  expect(paths["/b"]?.["get"]).toMatchObject({ responses: { default: { $ref: "#/components/responses/Failed" } } });
});

test("required lists, 64-bit integers, addresses and dates are as the decoder has them", async () => {
  const { paths, components } = await documentOf(`
-- a/a.ts --
import { API, type Email, type Int64, type MinItems, type Pattern, type Query, type Url } from "fw";
export interface Row { n: Int64; mail: string & Email; site: string & Url; own: string & Url & Pattern<"https:.*">; at: Date }
export const list = API("GET /list", (_ctx, { t, u }: { t: Query<string[] & MinItems<1>>; u: Query<string[]> }) => [t, u].length);
export const row = API("POST /row", (_ctx, req: Row) => req.mail);
`);
  expect(paths["/list"]?.["get"]?.["parameters"]).toMatchObject([{ name: "t", required: true }, { name: "u" }]);
  const ajv = new Ajv({ strict: false, validateFormats: false });
  const { properties } = (components["schemas"] as Record<string, { properties: Record<string, object> }>)["Row"] ?? {};
  const takes = (field: string, value: unknown): boolean => ajv.validate(properties?.[field] ?? false, value);
  expect([2 ** 63, -(2 ** 63), 2 ** 64, 1.5].map((n) => takes("n", n))).toEqual([false, true, false, false]);
  expect(["ann@example.com", ".a@b.co", "ann@b", `a@${"x".repeat(64)}.de`].map((text) => takes("mail", text))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(["https://ü.de", "HTTP://a.b", "ftp://a.b", "javascript:1"].map((text) => takes("site", text))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(["https://a.b", "http://a.b"].map((text) => takes("own", text))).toEqual([true, false]);
  expect(["2026-01-31T12:00:59Z", "2026-01-31T12:00:60Z"].map((text) => takes("at", text))).toEqual([true, false]);
});

test("the schemas of answers promise nothing that answers are not held to", async () => {
  const { paths, components } = await documentOf(`
-- a/a.ts --
import { API, type Email, type MaxLength, type MinLength } from "fw";
export interface Book { title: string & MinLength<1>; by: Author }
export interface Author { mail: string & Email }
export interface Plain { n: number }
export interface Counts { by: Record<string & MaxLength<3>, number> }
export const counts = API("POST /counts", (_ctx, req: Counts): Counts => req);
export const add = API("POST /books", (_ctx, req: Book): Book => req);
export const only = API("GET /author", (): Author => ({ mail: "" }));
export const plain = API("POST /plain", (_ctx, req: Plain): Plain => req);
export const inline = API("POST /inline", (_ctx, { name }: { name: string & MaxLength<9> }) => ({ name }));
`);
  const schemas = components["schemas"] as Record<string, object>;
  const names = ["Author", "AuthorAnswer", "Book", "BookAnswer", "Counts", "CountsAnswer", "Plain"];
  expect(Object.keys(schemas).toSorted()).toEqual(names);
  expect(["Counts", "CountsAnswer"].map((name) => JSON.stringify(schemas[name]).includes("propertyNames"))).toEqual([
    true,
    false,
  ]);
  expect(schemas["Book"]).toMatchObject({
    properties: { title: { minLength: 1 }, by: { $ref: "#/components/schemas/Author" } },
  });
  expect(schemas["BookAnswer"]).toEqual({
    type: "object",
    properties: { title: { type: "string" }, by: { $ref: "#/components/schemas/AuthorAnswer" } },
    required: ["title", "by"],
  });
  expect(JSON.stringify(schemas["AuthorAnswer"])).not.toContain("email");
  expect(JSON.stringify(paths["/books"]?.["post"]?.["responses"])).toContain("BookAnswer");
  expect(JSON.stringify(paths["/inline"]?.["post"]?.["responses"])).not.toContain("maxLength");
  expect(JSON.stringify(components["responses"])).toContain('"problems"');
});

test("names of components are escaped before they are numbered", async () => {
  const { paths, components } = await documentOf(`
-- a/a.ts --
import { API } from "fw";
export interface Größe { breite: number }
export interface Grüße { an: string }
export const size = API("GET /a", (): Größe => ({ breite: 1 }));
export const greeting = API("GET /b", (): Grüße => ({ an: "ann" }));
`);
  const schemas = components["schemas"] as Record<string, { readonly properties: object }>;
  const fieldsOf = (path: string): readonly string[] => {
    const text = JSON.stringify(paths[path]?.["get"]);
    const [, name = ""] = /"#\/components\/schemas\/([^"]+)"/.exec(text) ?? [];
    return Object.keys(schemas[name]?.properties ?? {});
  };
  expect([fieldsOf("/a"), fieldsOf("/b")]).toEqual([["breite"], ["an"]]);
});

test("examples are valid for their schemas, and none has a member that a reader would follow", async () => {
  const document = await documentOf(`
-- a/a.ts --
import { API, type Int, type Max, type Min } from "fw";
export interface Category { name: string; children: Category[]; parent?: Category }
export interface Chain { next: Chain | null }
export type Row = { low: Int & Max<0.5>; high: Int & Min<1.5> };
export const tree = API("POST /tree", (_ctx, req: Category) => req.name);
export const chain = API("POST /chain", (_ctx, { chain }: { chain: Chain }) => chain.next === null);
export const rows = API("POST /rows", (_ctx, req: Row) => req.low);
export const link = API("POST /link", (_ctx, req: { $ref: string }) => req.$ref);
export const links = API("POST /links", (_ctx, req: { all: { $ref: string }[] }) => req.all.length);
`);
  const exampleFor = (path: string): unknown => {
    const body = document.paths[path]?.["post"]?.["requestBody"] as { content: Record<string, { example?: unknown }> };
    return body.content["application/json"]?.example;
  };
  expect(exampleFor("/tree")).toEqual({
    name: "text",
    children: [{ name: "text", children: [] }],
    parent: { name: "text", children: [] },
  });
  expect(exampleFor("/chain")).toEqual({ chain: { next: null } });
  expect(exampleFor("/rows")).toEqual({ low: 0, high: 2 });
  expect([exampleFor("/link"), exampleFor("/links")]).toEqual([undefined, undefined]);
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
});

test("constraints are in the words of JSON Schema", async () => {
  const document = await documentOf(`
-- a/a.ts --
import { API } from "fw";
import type { Email, Int, Max, MaxItems, MaxLength, Min, MinItems, MinLength, Pattern, Query, Url } from "fw";
export interface Row {
  limit?: Query<Int & Min<1> & Max<100>>;
  title: string & MinLength<1> & MaxLength<200>;
  mail: string & Email;
  tags: (string & Url)[] & MinItems<1> & MaxItems<5>;
  price: number & Max<9.5>;
  slug: string & Pattern<"^[a-z-]+$">;
  key: \`k_\${string}\` & Pattern<"k_\\\\d+">;
}
export const row = API("POST /rows", (_ctx, { title }: Row) => title);
`);
  const text = JSON.stringify(document);
  for (const description of [
    { type: "integer", minimum: 1, maximum: 100 },
    { type: "string", minLength: 1, maxLength: 200 },
    {
      type: "array",
      items: { type: "string", format: "uri", pattern: String.raw`^[Hh][Tt][Tt][Pp][Ss]?://\S+$` },
      minItems: 1,
      maxItems: 5,
    },
    { type: "number", maximum: 9.5 },
    { type: "string", pattern: String.raw`^(?:[a-z\-]+)$` },
    { type: "string", pattern: String.raw`^k_[\s\S]*$`, allOf: [{ pattern: String.raw`^(?:k_\d+)$` }] },
  ])
    expect(text).toContain(JSON.stringify(description));
});

test("credentials that authenticators read are among what a gated operation asks for, and in the graph", async () => {
  const { app: model } = await bench.analyze(`
-- a/a.ts --
import { API, Authenticator, type Cookie, type Header, type Query } from "fw";
export interface PartnerKey {
  /** The key that we sent you. */
  key: Header<string, "X-Api-Key">;
  secret: Query;
  unit?: Header<string, "X-Unit">;
}
export const partners = Authenticator((_ctx, { key, secret }: PartnerKey) => (key === secret ? { id: key } : undefined));
export const badges = Authenticator((_ctx, { badge }: { badge: Cookie }) => (badge ? { id: badge } : undefined));
export interface Either { one?: Header<string, "X-One">; two?: Header<string, "X-Two"> }
export const either = Authenticator((_ctx, { one, two }: Either) => ({ id: one ?? two ?? "" }));
export const mine = API("GET /mine", (ctx) => ctx.user().id, { signIn: true });
export const open = API("GET /open", () => "");
`);
  const document = openApi(model, await bench.descriptions());
  expect(document.paths["/mine"]?.["get"]?.["security"]).toEqual([
    { partners_key: [], partners_secret: [] },
    { badges: [] },
    { either_one: [] },
    { either_two: [] },
  ]);
  expect(document.paths["/open"]?.["get"]?.["security"]).toBeUndefined();
  expect(document.components["securitySchemes"]).toMatchObject({
    partners_key: { type: "apiKey", in: "header", name: "X-Api-Key", description: "The key that we sent you." },
    partners_secret: { type: "apiKey", in: "query", name: "secret" },
    badges: { type: "apiKey", in: "cookie", name: "badge" },
  });
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
  expect(graphText(graph(model))).toContain(
    "authenticator partners  by header X-Api-Key, query secret, header X-Unit  a/a.ts:8",
  );
});

test("what OpenAPI has no words for is said to be left out", async () => {
  const document = await documentOf(`
-- a/a.ts --
import { type Connection, Mount, type Path, Socket } from "fw";
export const inner = Mount("/inner", () => new Response("in"));
export const room = Socket("GET /rooms/{id}", async (_ctx, { id }: { id: Path }, socket: Connection<string, string>) => {
  for await (const text of socket) await socket.send(id + text);
});
`);
  expect(document.paths).toEqual({});
  expect(document["x-fw-left-out"]).toEqual([
    { route: "* /inner", why: expect.stringMatching(/^mount: /) },
    { route: "GET /rooms/{id}", why: expect.stringMatching(/^socket: /) },
  ]);
  expect(await new Validator().validate({ ...document })).toEqual({ valid: true });
});

test("the document has what package.json and the doc comments of services say, and the domains of services", async () => {
  const app = (settings: string): string => `
-- package.json --
{ "name": "shop", "version": "1.4.0", "description": "Sells things", "type": "module" }
-- orders/api.ts --
import { API, Service } from "fw";
/** Orders and their payment. */
export const web = Service({ domain: "orders.example.com" });
export const list = API("GET /orders", () => 1);
-- stock/api.ts --
import { API, Service } from "fw";
export const web = Service({ ${settings} });
export const count = API("GET /stock", () => 1);
`;
  const { app: apart } = await bench.analyze(app(""));
  const document = openApi(apart, await bench.descriptions(), { servers: true });
  expect([document.info, document.servers, document.tags]).toEqual([
    { title: "shop", version: "1.4.0", description: "Sells things" },
    undefined,
    [{ name: "orders-web", description: "Orders and their payment." }, { name: "stock-web" }],
  ]);
  expect([document.paths["/orders"]?.["get"]?.["servers"], document.paths["/stock"]?.["get"]?.["servers"]]).toEqual([
    [{ url: "https://orders.example.com" }],
    undefined,
  ]);

  const { app: together } = await bench.analyze(app('domain: "orders.example.com"'));
  const descriptions = await bench.descriptions();
  expect(openApi(together, descriptions, { servers: true }).servers).toEqual([{ url: "https://orders.example.com" }]);
  expect(openApi(together, descriptions).servers).toBeUndefined();
  expect(await new Validator().validate({ ...openApi(together, descriptions, { servers: true }) })).toEqual({
    valid: true,
  });
});
