import { expect, test } from "vitest";
import { endpointsOf } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";
import { schemaText } from "../testing/schema-text.ts";

const bench = useAppBench();

/** Lists the responses of handlers in the package `shop`, by status. */
async function answers(code: string): Promise<readonly string[]> {
  const head =
    'import { API, blob, Errorf, NotFound, reply, type Blob, type Int64, type Reply, type StatusError } from "fw";';
  const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --\n${head}\n${code}`);
  expect(diagnostics).toEqual([]);
  return app.packages.flatMap(endpointsOf).map(({ response, replies }) => {
    const told = replies?.map(({ status, body }) => `${status ?? "-"} ${schemaText(body)}`).join(", ");
    return `${schemaText(response)} | ${told ?? "none"}`;
  });
}

test.each([
  ["a body alone", `() => 1`, "number | none"],
  ["a status", `() => reply({ a: 1 }, { status: 201 })`, "{ a: number } | 201 { a: number }"],
  ["the body's own status", `() => reply({ a: 1 }, { headers: { ETag: "x" } })`, "{ a: number } | - { a: number }"],
  [
    "several, of one of which there are two",
    `(_ctx, { id }: { id: Path }) => id === "a" ? reply({ a: 1 }, { status: 201 }) : id === "b" ? reply({ errors: ["x"] }, { status: 422 }) : id === "c" ? reply("text", { status: 422 }) : { b: true }`,
    "{ b: boolean } | { a: number } | - { b: boolean }, 201 { a: number }, 422 string | { errors: string[] }",
  ],
  [
    "one of two statuses",
    `() => reply({ a: 1 }, { status: Math.random() > 0.5 ? 200 : 404 })`,
    "{ a: number } | 200 { a: number }, 404 { a: number }",
  ],
  ["nothing", `() => reply(undefined, { status: 302, headers: { Location: "/" } })`, "void | 302 void"],
  ["a file", `() => reply(blob("x", { type: "a/b" }), { status: 203 })`, "blob | 203 blob"],
  [
    "annotated",
    `async (): Promise<Reply<{ a: Int64 }, 201> | Reply<string, 409>> => reply("x", { status: 409 })`,
    "{ a: int64 } | 201 { a: int64 }, 409 string",
  ],
  [
    "behind an alias",
    `async (): Promise<Made<{ a: 1 }>> => reply({ a: 1 }, { status: 201 })`,
    "{ a: 1 } | 201 { a: 1 }",
  ],
  [
    "an error with details",
    `() => Math.random() > 0.5 ? { a: 1 } : Errorf(409, "taken", { details: { email: "x" } })`,
    "{ a: number } | - { a: number }, 409 { error: string; details: { email: string } }",
  ],
  [
    "errors without details",
    `async () => Math.random() > 0.5 ? { a: 1 } : Math.random() > 0.5 ? Errorf(410, "gone") : NotFound()`,
    "{ a: number } | - { a: number }, 404 { error: string }, 410 { error: string }",
  ],
  [
    "an annotated error",
    `async (): Promise<{ a: Int64 } | StatusError<409, { at: Date } | undefined> | StatusError<422>> => Errorf(409, "taken")`,
    "{ a: int64 } | - { a: int64 }, 409 { error: string; details?: { at: date } }, 422 { error: string; details?: json }",
  ],
  [
    "an error and a reply of one status",
    `() => Math.random() > 0.5 ? reply("x", { status: 409 }) : Errorf(409, "taken")`,
    "void | 409 string | { error: string }",
  ],
  ["through a generic function", `() => made({ a: "x" })`, "{ a: string } | 201 { a: string }"],
])("what a handler replies with is known: %s", async (_, handler, expected) => {
  const route = handler.includes("Path") ? "GET /x/{id}" : "GET /x";
  const code = `import type { Path } from "fw";\nexport type Made<T> = Reply<T, 201>;\nexport const made = <T,>(body: T) => reply(body, { status: 201 });\nexport const x = API("${route}", ${handler});`;
  expect(await answers(code)).toEqual([expected]);
});

test("a reply inside of a value, a status that no type tells, and a body that cannot be sent are refused", async () => {
  expect(
    await bench.printShop(`import { API, Errorf, reply, type Reply, type ReplyStatus } from "fw";
export const a = API("GET /a", () => ({ inner: reply(1) }));
export const b = API("GET /b", (): Reply<string> => reply("x"));
export const c = API("GET /c", () => reply(new Map<string, string>(), { status: 201 }));
export const d = API("GET /d", (): Reply<string, ReplyStatus | undefined> => reply("x"));
export const e = API("GET /e", () => Errorf(Math.random(), "x"));
export const f = API("GET /f", () => ({ inner: Errorf(409, "x") }));
`),
  ).toEqual([
    expect.stringContaining("Reply cannot be sent as JSON (fw/wire-type)"),
    expect.stringContaining("the type does not say the status of this response: any status (fw/wire-type)"),
    expect.stringContaining("Map cannot be sent as JSON (fw/wire-type)"),
    expect.stringContaining("the type does not say the status of this response: number (fw/wire-type)"),
    expect.stringContaining("StatusError cannot be sent as JSON (fw/wire-type)"),
  ]);
});

test.each([
  ["a redirect", 'Redirect("/there")', "Redirection", /use a Page, which can redirect, or a Mount/],
  [
    "a Response",
    'new Response("text")',
    "Response",
    /reply\(data, \{ status, headers \}\).* only a Mount returns a Response/,
  ],
])("%s of an API is refused with what to write for it", async (_, answer, name, hint) => {
  const { diagnostics } = await bench.analyze(`-- shop/shop.ts --
import { API, Redirect } from "fw";
export const used = Redirect;
export const a = API("GET /a", () => ${answer});
`);
  expect(diagnostics).toMatchObject([
    { code: "fw/wire-type", message: `${name} cannot be sent as JSON`, hint: expect.stringMatching(hint) },
  ]);
});
