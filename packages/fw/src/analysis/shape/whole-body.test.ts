import { expect, test } from "vitest";
import { endpointsOf } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";
import { schemaText } from "../testing/schema-text.ts";

const bench = useAppBench();

test.each([
  ["a list", "{ all: Body<{ a: Int }[]> }", "all: { a: int }[]"],
  ["a union", "{ all: Body<{ a: 1 } | { b: 2 }> }", "all: { a: 1 } | { b: 2 }"],
  ["a value or null", "{ all: Body<string | null> }", "all: string | null"],
  ["any JSON, optional", "{ all?: Body<Json> }", "all?: json"],
  ["bytes", "{ all: Raw; mark: Header }", "all: bytes"],
  ["behind an alias", "Of<string[]>", "all: string[]"],
  ["through the checker, a list", "Loose<{ all: Body<string[]>; mark: Header }>", "all: string[]"],
  [
    "through the checker, objects",
    "Loose<{ all?: Body<{ a: 1 } | { b: 2 } | null> }>",
    "all?: { a: 1 } | { b: 2 } | null",
  ],
  ["through the checker, bytes", "Loose<{ all: Raw }>", "all: bytes"],
])("the whole body is known by syntax and by TypeScript alike: %s", async (_, type, expected) => {
  const { app, diagnostics } = await bench.analyze(`
-- shop/shop.ts --
import { API, type Body, type Header, type Int, type Json, type Raw } from "fw";
export type Of<T> = { all: Body<T>; mark?: Header };
export type Loose<T> = { [K in keyof T]: T[K] };
export const x = API("POST /x", (_ctx, req: ${type}) => String(req.all));
`);
  expect(diagnostics).toEqual([]);
  const [endpoint] = app.packages.flatMap(endpointsOf);
  const { whole, body, carries } = endpoint?.request ?? {};
  const text = whole?.schema === undefined ? "bytes" : schemaText(whole.schema);
  expect(`${whole?.property}${whole?.optional === true ? "?" : ""}: ${text}`).toBe(expected);
  expect([body, carries]).toEqual([[], text === "bytes" ? "raw" : "json"]);
});

test("a Body or a Raw inside of a value is refused, and so is a body of what JSON cannot hold", async () => {
  const lines = await bench.printShop(`import { API, type Body, type Raw } from "fw";
export const a = API("POST /a", (_ctx, req: { f: { g: Body<string> } }) => String(req.f));
export const b = API("POST /b", (_ctx, req: { f: Raw[] }) => String(req.f));
export const c = API("POST /c", (_ctx, req: { f: Body<Map<string, string>> }) => String(req.f));
`);
  expect(lines).toEqual([
    expect.stringContaining("a Body is a whole request body and cannot be part of a value (fw/wire-type)"),
    expect.stringContaining("a Raw is a whole request body and cannot be part of a value (fw/wire-type)"),
    expect.stringContaining("Map cannot be received as JSON (fw/wire-type)"),
  ]);
});
