import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Route } from "../model/route.ts";
import { generateRoutes } from "./routes.ts";
import { evaluate } from "./testing/evaluate.ts";
import { route } from "./testing/models.ts";

type Match = (method: string, path: string, params: string[]) => number;

function matcher(...patterns: readonly string[]): (request: string) => [number, string[]] {
  const match = evaluate(generateRoutes(patterns.map(route))).match as Match;
  return (request) => {
    const [method = "", path = ""] = request.split(" ");
    const params: string[] = [];
    return [match(method, path, params), params];
  };
}

describe("a route", () => {
  test("is a method and a path", () => {
    const match = matcher("GET /", "GET /orders", "POST /orders");
    expect(match("GET /")).toEqual([0, []]);
    expect(match("GET /orders")).toEqual([1, []]);
    expect(match("POST /orders")).toEqual([2, []]);
    expect(match("DELETE /orders")).toEqual([-1, []]);
    expect(match("GET /nothing")).toEqual([-1, []]);
  });

  test("gives each {param} segment in order", () => {
    const match = matcher("GET /a/{x}/b/{y}", "GET /{x}");
    expect(match("GET /a/1/b/2")).toEqual([0, ["1", "2"]]);
    expect(match("GET /a")).toEqual([1, ["a"]]);
  });

  test("with a parameter does not take an empty segment", () => {
    const match = matcher("GET /orders/{id}", "GET /{x}/y", "GET /{x}");
    expect(match("GET /orders/")).toEqual([-1, []]);
    expect(match("GET //y")).toEqual([-1, []]);
    expect(match("GET /")).toEqual([-1, []]);
  });

  test("is not the same as the one with a slash behind it", () => {
    const match = matcher("GET /orders");
    expect(match("GET /orders/")).toEqual([-1, []]);
  });

  test("starts with a slash", () => {
    const match = matcher("GET /", "GET /orders");
    expect(match("GET *")).toEqual([-1, []]);
    expect(match("GET orders")).toEqual([-1, []]);
    expect(match("GET xorders")).toEqual([-1, []]);
  });

  test("is not found by a name that every object inherits", () => {
    const match = matcher("GET /a", "GET /b", "GET /c", "GET /d", "GET /e", "GET /f/x");
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      expect(match(`GET /${name}`)).toEqual([-1, []]);
      expect(match(`${name} /a`)).toEqual([-1, []]);
    }
  });
});

describe("a literal segment beats a wildcard", () => {
  test("segment by segment", () => {
    const match = matcher("GET /orders/{id}", "GET /orders/new", "GET /{kind}/new");
    expect(match("GET /orders/new")).toEqual([1, []]);
    expect(match("GET /orders/old")).toEqual([0, ["old"]]);
    expect(match("GET /things/new")).toEqual([2, ["things"]]);
  });

  test("but a dead end below it falls back to the wildcard", () => {
    const match = matcher("GET /a/b/c", "GET /a/{x}/d", "GET /{y}/b/e");
    expect(match("GET /a/b/c")).toEqual([0, []]);
    expect(match("GET /a/b/d")).toEqual([1, ["b"]]);
    expect(match("GET /a/b/e")).toEqual([2, ["a"]]);
    expect(match("GET /a/b/f")).toEqual([-1, []]);
  });
});

describe("a percent-encoded path", () => {
  test("is split before it is decoded", () => {
    const match = matcher("GET /files/{name}", "GET /files/{dir}/{name}");
    expect(match("GET /files/a%2Fb")).toEqual([0, ["a/b"]]);
    expect(match("GET /files/a%2fb/c%20d")).toEqual([1, ["a/b", "c d"]]);
  });

  test("compares decoded segments with literals", () => {
    const match = matcher("GET /café/{x}", "GET /a~b");
    expect(match("GET /caf%C3%A9/1")).toEqual([0, ["1"]]);
    expect(match("GET /a%7Eb")).toEqual([1, []]);
    expect(match("GET /caf%c3%a9%2F1")).toEqual([-1, []]);
  });

  test.each(["/%", "/%zz", "/a%2", "/%C3", "/%FF", "/%ED%A0%80", "/nothing/%C0%AF"])("is malformed: %s", (path) => {
    expect(matcher("GET /{x}")(`GET ${path}`)[0]).toBe(-2);
  });

  test("keeps a plus sign", () => {
    expect(matcher("GET /{x}")("GET /a+b")).toEqual([0, ["a+b"]]);
  });
});

const segments = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f", "{x}"), { maxLength: 4 });
const patterns = fc.array(
  fc.tuple(fc.constantFrom("GET", "POST"), segments).map(([method, path]) => `${method} /${path.join("/")}`),
  { minLength: 1, maxLength: 30 },
);
const requests = fc
  .tuple(
    fc.constantFrom("GET", "POST", "PUT"),
    fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f", "z", "", "%61"), { maxLength: 5 }),
  )
  .map(([method, path]) => `${method} /${path.join("/")}`);

test("the generated matcher agrees with trying every route", () => {
  fc.assert(
    fc.property(patterns, fc.array(requests, { maxLength: 30 }), (patterns, requests) => {
      const match = matcher(...patterns);
      for (const request of requests) expect(match(request)).toEqual(naive(patterns.map(route), request));
    }),
    { numRuns: 300 },
  );
});

/**
 * Returns the index of the matching route with the leftmost literals, and its parameters; -1 and none if no route
 * matches.
 */
function naive(routes: readonly Route[], request: string): [number, string[]] {
  const [method = "", path = ""] = request.split(" ");
  const parts = path === "/" ? [] : path.slice(1).split("/").map(decodeURIComponent);
  const fitting = routes
    .map((route, index) => ({ route, index }))
    .filter(({ route }) => route.method === method && fits(route, parts))
    .toSorted((a, b) => weight(a.route).localeCompare(weight(b.route)) || a.index - b.index);
  const [best] = fitting;
  if (best === undefined) return [-1, []];
  return [best.index, parts.filter((_, i) => "param" in (best.route.segments[i] ?? {}))];
}

function fits({ segments }: Route, parts: readonly string[]): boolean {
  if (segments.length !== parts.length) return false;
  return segments.every((segment, i) => ("literal" in segment ? segment.literal === parts[i] : parts[i] !== ""));
}

function weight({ segments }: Route): string {
  return segments.map((segment) => ("literal" in segment ? "0" : "1")).join("");
}

test("equal routes give equal text", () => {
  const routes = ["GET /a", "GET /{x}", "POST /a/b"].map(route);
  expect(generateRoutes(routes)).toBe(generateRoutes(structuredClone(routes)));
});
