import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Endpoint } from "../model/app.ts";
import type { BundledRemote } from "../runtime/bundle.ts";
import { endpointModule } from "./endpoint-module.ts";
import { remoteModule } from "./remote-module.ts";
import { generateRoutes } from "./routes.ts";
import { evaluate } from "./testing/evaluate.ts";
import { bound, endpoint, field, request } from "./testing/models.ts";

const specifiers = { module: (path: string) => path };

function remoteOf(callee: Endpoint): BundledRemote {
  const text = remoteModule([{ endpoint: callee, service: "orders" }], {}, specifiers);
  const [remote] = evaluate(text)["remotes"] as readonly BundledRemote[];
  if (remote === undefined) throw new Error("there is no remote");
  return remote;
}

/** Returns a function that decodes a request as the service with the endpoint would. */
function readerOf(callee: Endpoint): (request: { readonly path: string; readonly json?: string }) => unknown {
  const { match } = evaluate(generateRoutes([callee.route])) as {
    match: (method: string, path: string, params: string[]) => number;
  };
  const { endpoints } = evaluate(endpointModule([callee], {}, {})) as {
    endpoints: (
      index: number,
      declarations: readonly object[],
    ) => readonly { readonly decode: (raw: object) => unknown }[];
  };
  return ({ path, json }) => {
    const [target = "", query = ""] = path.split(/\?(.*)/s);
    const params: string[] = [];
    expect(match(callee.route.method, target, params)).toBe(0);
    return endpoints(0, [{}])[0]?.decode({ params, query, body: json === undefined ? undefined : JSON.parse(json) });
  };
}

const search = endpoint("GET /shelves/{shelf}/books/{number}", "search", {
  request: request({
    bound: [
      bound("path", "shelf", { kind: "string" }),
      bound("path", "number", { kind: "int" }),
      bound("query", "words", { kind: "string" }, { list: true, wire: "w" }),
      bound("query", "lent", { kind: "boolean" }, { optional: true }),
    ],
  }),
});

test("a request is written so that the service that has the endpoint reads the same", () => {
  const unit = fc.constantFrom(
    "a",
    "/",
    "\\",
    "?",
    "%",
    "%2F",
    "&",
    "=",
    "+",
    ";",
    "#",
    ".",
    " ",
    "\0",
    "\n",
    "ü",
    "漢",
    "😀",
  );
  const requests = fc.record(
    {
      shelf: fc.string({ minLength: 1, unit }),
      number: fc.maxSafeInteger(),
      words: fc.array(fc.string({ unit }), { minLength: 1 }),
      lent: fc.boolean(),
    },
    { requiredKeys: ["shelf", "number", "words"] },
  );
  const { encode } = remoteOf(search);
  const read = readerOf(search);
  fc.assert(
    fc.property(requests, (given) => {
      expect(read(encode(given as never))).toEqual(given);
    }),
  );
});

test("only the untagged fields are the JSON body, and an Int64 keeps its digits", () => {
  const pay = endpoint("POST /orders/{id}/pay", "pay", {
    request: request({
      bound: [bound("path", "id", { kind: "string" })],
      body: [field("cents", { kind: "int64" }), field("note", { kind: "string" }, true)],
    }),
  });
  expect(remoteOf(pay).encode({ id: "a/b", cents: 9_007_199_254_740_993n } as never)).toEqual({
    path: "/orders/a%2Fb/pay",
    json: '{"cents":9007199254740993}',
  });
});

test("a form is written as text, a list as a repeated name, and a file as it is", () => {
  const file = { type: "image/png" };
  const upload = endpoint("POST /photos", "upload", {
    request: {
      bound: [
        bound("form", "title", { kind: "string" }),
        bound("form", "tags", { kind: "string" }, { list: true }),
        bound("form", "public", { kind: "boolean" }),
        bound("form", "photo", { kind: "blob" }),
        bound("form", "alt", { kind: "string" }, { optional: true }),
      ],
      body: [],
      carries: "multipart",
    },
  });
  const input = { title: "Sea", tags: ["a", "b"], public: true, photo: file };
  expect(remoteOf(upload).encode(input as never)).toEqual({
    path: "/photos",
    form: [
      ["title", "Sea"],
      ["tags", "a"],
      ["tags", "b"],
      ["public", "true"],
      ["photo", file],
    ],
  });
});

test("a response is read as the type that the endpoint declares", () => {
  const order = endpoint("GET /order", "order", {
    response: {
      kind: "object",
      fields: [
        field("at", { kind: "date" }),
        field("total", { kind: "int64" }),
        field("lines", { kind: "array", items: { kind: "string" } }),
      ],
    },
  });
  const remote = remoteOf(order);
  expect(remote.exactIntegers).toBe(true);
  expect(remote.decode({ at: "2026-11-21T10:00:00Z", total: 12n, lines: ["tea"] })).toEqual({
    at: new Date("2026-11-21T10:00:00Z"),
    total: 12n,
    lines: ["tea"],
  });
  expect(() => remote.decode({ at: "soon", total: 12n, lines: [] })).toThrow(/at/);
});

test.for(["blob", "void"] as const)("a response of the kind %s has no JSON to read", (kind) => {
  expect(remoteOf(endpoint("GET /file", "file", { response: { kind } })).decode({})).toBeUndefined();
});
