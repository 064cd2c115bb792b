import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";

// The catalogue of a natural history museum. A route echoes every kind of wire type, in the notations that people use.
const museum = String.raw`
-- catalogue/types.ts --
import type { Int, Int64, Json } from "fw";
import { z } from "zod";

export enum Wing { North = "north", South = "south" }
export enum Floor { Ground, First }
export interface Base { id: string; added: Date }
export interface Found extends Base { depth: number; by?: string | null }
export type Listed<T> = { items: T[]; total: Int };
export type Label = Pick<Found, "id"> & { text: string };
export type Draft = Partial<Omit<Found, "id" | "added">>;
export type Required2 = Required<{ a?: Int; readonly b?: string }>;
export type Sizes = Record<string, number>;
export type ByWing = Record<Wing, Int>;
export type Span = [from: Int, to?: Int];
export type Route = [string, ...Int[]];
export type Shape =
  | { kind: "circle"; radius: number }
  | { kind: "box"; sides: [number, number] }
  | { kind: "none" };
export interface Tree { name: string; children?: Tree[] }
export type Loose = string | { text: string } | Int[];
export type Mapped = { [K in "width" | "height"]?: number };
export type Nullable<T> = { [K in keyof T]: T[K] | null };
export type Ref<T> = T extends { id: infer I } ? { of: I } : never;
export type Code = "a" | "b" | 3 | true | null;
const wings = ["east", "west"] as const;
export type Side = (typeof wings)[number];
export const specimen = z.object({ name: z.string(), tags: z.array(z.string()), weight: z.number().optional() });
export type Specimen = z.infer<typeof specimen>;
export interface Everything {
  wing: Wing; floor: Floor; found: Found; list: Listed<Label>; draft: Draft; required: Required2; sizes: Sizes; byWing: ByWing;
  span: Span; route: Route; shape: Shape; tree: Tree; loose: Loose; mapped: Mapped; nullable: Nullable<{ a: string }>; ref: Ref<Base>;
  code: Code; side: Side; specimen: Specimen; big: Int64; json: Json; readonly list2: readonly string[]; grid: Int[][];
}

-- catalogue/catalogue.ts --
import { API } from "fw";
import type { Int, Int64, Path, Query } from "fw";
import type * as all from "./types.ts";

export const everything = API("POST /everything", (_ctx, req: Partial<all.Everything>) => ({ ...req, keys: Object.keys(req) }));
export const inferred = API("GET /inferred/{n}", async (_ctx, { n }: { n: Path<Int> }) => {
  const rows = Array.from({ length: n }, (_, i) => ({ i, at: new Date(0), even: i % 2 === 0, next: i > 0 ? i - 1 : undefined }));
  return { rows, first: rows[0] ?? null, big: (2n ** 60n) as Int64 };
});
export const filtered = API("GET /filtered", (_ctx, req: { side?: Query<all.Side>; floor?: Query<all.Floor>; wing?: Query<all.Wing> }) => req);
`;

const root = fileURLToPath(new URL("..", import.meta.url));
let dev: Dev;
beforeAll(async () => {
  const app = writeApplication(Object.fromEntries(filesOf(museum)));
  symlinkSync(join(root, "node_modules/zod"), join(app, "node_modules/zod"));
  dev = launchDev(app, []);
  await dev.says("http://localhost:");
  if (!dev.output().includes("ready in")) throw new Error(dev.output());
});
afterAll(() => dev[Symbol.asyncDispose]());

async function post(body: string): Promise<[number, unknown]> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`http://localhost:${dev.port}/everything`, { method: "POST", headers, body });
  return [response.status, JSON.parse(await response.text())];
}

const item = { depth: 1.5, id: "t-1", added: "2024-02-29T12:30:00.000Z" };

describe("a value of its type comes and goes as it is", () => {
  test.each([
    ["a string enum", "wing", '"north"'],
    ["a numeric enum", "floor", "1"],
    ["an interface that extends another, with a date", "found", JSON.stringify({ ...item, by: null })],
    ["a generic with an intersection of a Pick", "list", '{"items":[{"id":"a","text":"b"}],"total":1}'],
    ["a Partial of an Omit", "draft", '{"depth":2}'],
    ["a Required", "required", '{"a":1,"b":"x"}'],
    ["a record", "sizes", '{"a":1,"toString":2}'],
    ["a record of an enum", "byWing", '{"north":1,"south":2}'],
    ["a tuple with an optional element, without it", "span", "[1]"],
    ["a tuple with an optional element, with it", "span", "[1,2]"],
    ["a tuple with a rest", "route", '["a",1,2]'],
    ["a variant of a tagged union", "shape", '{"kind":"box","sides":[1,2]}'],
    ["another variant, without fields", "shape", '{"kind":"none"}'],
    ["a recursive type", "tree", '{"name":"a","children":[{"name":"b","children":[]}]}'],
    ["a union without a tag", "loose", '{"text":"x"}'],
    ["a union without a tag, its list", "loose", "[1]"],
    ["a mapped type", "mapped", '{"width":1}'],
    ["a mapped type over another", "nullable", '{"a":null}'],
    ["a conditional type", "ref", '{"of":"x"}'],
    ["a union of literals", "code", "3"],
    ["a union of literals, null", "code", "null"],
    ["the members of a constant list", "side", '"west"'],
    ["what z.infer yields", "specimen", '{"name":"a","tags":["b"]}'],
    ["an Int64 beyond 2^53", "big", "9007199254740993"],
    ["any JSON", "json", '{"a":[1,null,{"b":"c"}]}'],
    ["a readonly list", "list2", '["a"]'],
    ["a list of lists", "grid", "[[1],[2,3],[]]"],
  ])("%s: %s", async (_, key, value) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`http://localhost:${dev.port}/everything`, {
      method: "POST",
      headers,
      body: `{"${key}":${value}}`,
    });
    expect([response.status, await response.text()]).toEqual([200, `{"${key}":${value},"keys":["${key}"]}`]);
  });
});

describe("a value of another type is a 400 that says where and what", () => {
  test.each([
    ["wing", '"east"', 'body wing: "east" is not a "north" | "south"'],
    ["floor", "2", "body floor: 2 is not a 0 | 1"],
    ["found", '{"id":"a","depth":1}', "body found.added: is required"],
    [
      "found",
      JSON.stringify({ ...item, added: "2023-02-29T00:00:00Z" }),
      'body found.added: "2023-02-29T00:00:00Z" is not a date',
    ],
    ["found", JSON.stringify({ ...item, by: 1 }), "body found.by: 1 is not a string | null"],
    ["list", '{"items":[{"id":"a","text":"b"},{"id":"a"}],"total":1}', "body list.items[1].text: is required"],
    ["list", '{"items":[],"total":1.5}', "body list.total: 1.5 is not an int"],
    ["required", '{"a":1}', "body required.b: is required"],
    ["sizes", '{"a b":"x"}', 'body sizes["a b"]: "x" is not a number'],
    ["span", "[]", "body span[0]: is required"],
    ["route", '["a",1,"b"]', 'body route[2]: "b" is not an int'],
    ["shape", '{"kind":"oval"}', 'body shape.kind: "oval" is not a "circle" | "box" | "none"'],
    ["shape", '{"kind":"box","sides":[1]}', "body shape.sides[1]: is required"],
    ["tree", '{"name":"a","children":[{"name":1}]}', "body tree.children[0].name: 1 is not a string"],
    ["specimen", '{"name":"a"}', "body specimen.tags: is required"],
    ["side", '"north"', 'body side: "north" is not a "east" | "west"'],
    ["big", "1.5", "body big: 1.5 is not an int64"],
    ["grid", "[[1],[null]]", "body grid[1][0]: null is not an int"],
  ])("%s: %s", async (key, value, error) => {
    expect(await post(`{"${key}":${value}}`)).toEqual([400, { error }]);
  });
});

test("an inferred response is sent as it is, dates in RFC 3339 and integers exact", async () => {
  const response = await fetch(`http://localhost:${dev.port}/inferred/2`);
  const date = "1970-01-01T00:00:00.000Z";
  const rows = [
    { i: 0, at: date, even: true },
    { i: 1, at: date, even: false, next: 0 },
  ];
  expect(await response.text()).toBe(
    `{"rows":${JSON.stringify(rows)},"first":${JSON.stringify(rows[0])},"big":1152921504606846976}`,
  );
});

test("enums and unions of literals bind in a query", async () => {
  const ask = async (query: string): Promise<string> =>
    (await fetch(`http://localhost:${dev.port}/filtered?${query}`)).text();
  expect(await ask("side=east&floor=1&wing=south")).toBe('{"side":"east","floor":1,"wing":"south"}');
  expect(await ask("side=up")).toBe('{"error":"query side: up is not a \\"east\\" | \\"west\\""}');
  expect(await ask("floor=2")).toBe('{"error":"query floor: 2 is not a 0 | 1"}');
});
