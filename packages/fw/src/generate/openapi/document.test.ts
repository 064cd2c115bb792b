import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Validator } from "@seriousme/openapi-schema-validator";
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
  // A request that binds fields has another shape than the value of its type.
  expect(paths["/own/{id}"]?.["post"]).toMatchObject({
    requestBody: { content: { "application/json": { schema: { properties: { to: { type: "string" } } } } } },
  });
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
  for (const said of [
    { type: "integer", minimum: 1, maximum: 100 },
    { type: "string", minLength: 1, maxLength: 200 },
    { type: "string", format: "email" },
    { type: "array", items: { type: "string", format: "uri" }, minItems: 1, maxItems: 5 },
    { type: "number", maximum: 9.5 },
    { type: "string", pattern: String.raw`^(?:[a-z\-]+)$` },
    { type: "string", pattern: String.raw`^k_[\s\S]*$`, allOf: [{ pattern: String.raw`^(?:k_\d+)$` }] },
  ])
    expect(text).toContain(JSON.stringify(said));
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
