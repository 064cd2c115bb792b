import { expect, test } from "vitest";
import { outcome } from "../../generate/testing/decoding.ts";
import { generator } from "../../generate/wiring.ts";
import { evaluate } from "../../generate/testing/evaluate.ts";
import { endpointsOf } from "../../model/declarations.ts";
import { fieldsOf } from "../../runtime/body/fields.ts";
import type { BundledEndpoint } from "../../runtime/bundle.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

const app = `
-- shop/shop.ts --
import { API, type Cookie, type Header, type Int } from "fw";
interface Bound { signature: Header<string, "X-Signature">; tags?: Header<string[], "X-Tags"> }
export interface Inferred extends Partial<Bound> { page?: Header<Int>; theme?: Cookie<"light" | "dark">; beta: Cookie<boolean, "b"> }
export const a = API("POST /a", (_ctx, req: Inferred & { text: string }) => req.text);
export type Loose<T> = { [K in keyof T]: T[K] };
export const b = API("GET /b", (_ctx, req: Loose<Inferred>) => req.beta);
`;

/** Returns a function that runs the generated decoder of a route on headers and a body. */
async function decoder(route: string): Promise<(headers: readonly string[], body?: unknown) => unknown> {
  const { app: model, diagnostics } = await bench.analyze(app);
  expect(diagnostics).toEqual([]);
  const { files } = generator()(model);
  const text = files.get("fw:endpoints/shop/shop.ts") ?? "";
  const declared = [{ call: () => undefined }, { call: () => undefined }];
  const { endpoints } = evaluate(text);
  const all = (endpoints as (p: number, d: readonly object[]) => BundledEndpoint[])(0, declared);
  const made = all.find((each) => each.route === route);
  if (made === undefined) throw new Error(`no ${route}`);
  expect(made.varies).toBe(varies);
  return (rawHeaders, body) =>
    outcome(made, { body, fields: fieldsOf({ exchange: { header: () => undefined, rawHeaders } }, made) });
}

const varies = "page, Cookie, X-Signature, X-Tags";

test.each(["POST /a", "GET /b"])(
  "headers and cookies of %s are read by syntax and by TypeScript alike",
  async (route) => {
    const decode = await decoder(route);
    const body = route === "POST /a" ? { text: "x" } : undefined;
    const headers = ["x-signature", "s", "X-Tags", "a, b", "Page", "7", "Cookie", "theme=dark; b=1"];
    expect(decode(headers, body)).toEqual({
      ...body,
      signature: "s",
      tags: ["a", "b"],
      page: 7,
      theme: "dark",
      beta: true,
    });
    expect(decode(["Cookie", "b=off"], body)).toEqual({ ...body, beta: false });
    expect(decode([], body)).toBe("cookie b: is required");
    expect(decode(["page", "x", "cookie", "b=1"], body)).toBe("header page: x is not an int");
    expect(decode(["cookie", "b=1; theme=pink"], body)).toBe('cookie theme: the value is not a "light" | "dark"');
  },
);

test("the model says where each comes from, and a route of them carries no body", async () => {
  const { app: model } = await bench.analyze(app);
  const [, b] = model.packages.flatMap(endpointsOf);
  expect(b?.request.carries).toBe("nothing");
  expect(b?.request.bound.map(({ source, wire, list }) => `${source} ${wire}${list ? "[]" : ""}`)).toEqual([
    "header page",
    "cookie theme",
    "cookie b",
    "header X-Signature",
    "header X-Tags[]",
  ]);
});

test("what no header or cookie can be is refused", async () => {
  expect(
    await bench.print(`
-- shop/shop.ts --
import { API, type Blob, type Cookie, type Header } from "fw";
export interface R {
  a: Header<string, "X Page">;
  b: Header<string, "X-Fw-Session">;
  c: Header<string, "cookie">;
  d: Cookie<string, "__Host-fw_session">;
  e: Header<Date>;
  f: { g: Header };
}
export const a = API("POST /a", (_ctx, req: R) => String(req.a));
`),
  ).toEqual([
    expect.stringContaining('3:3: "a" is read from a header named "X Page", which is not a valid HTTP name'),
    expect.stringContaining(`4:3: "b" is read from a header that fw reserves, "X-Fw-Session"`),
    expect.stringContaining(`5:3: "c" is read from a header that fw reserves, "cookie"`),
    expect.stringContaining(`6:3: "d" is read from a cookie that fw reserves, "__Host-fw_session"`),
    expect.stringContaining('7:3: "e" has a type that a header cannot carry: Date'),
    expect.stringContaining('Header inside "f" is not read from a header'),
  ]);
});
