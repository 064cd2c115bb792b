import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { App, Endpoint } from "../model/app.ts";
import { precedence } from "../model/precedence.ts";
import type { Segment } from "../model/route.ts";
import { routeClashes } from "./clashes.ts";

const at = { path: "a.ts", line: 1, column: 1, endLine: 1, endColumn: 2 };

function endpoint(pattern: string): Endpoint {
  const [method = "", path = ""] = pattern.split(" ");
  const segments = path
    .slice(1)
    .split("/")
    .map((text): Segment => (text.startsWith("{") ? { param: text.slice(1, -1) } : { literal: text }));
  return {
    kind: "api",
    declaration: { module: "a.ts", variable: "x", exported: true, at },
    route: { pattern, method, segments },
    settings: { signIn: false, private: false },
    request: { bound: [], body: [], carries: "nothing" },
    response: { kind: "void" },
  };
}

function clashesOf(packages: Readonly<Record<string, readonly string[]>>): string[] {
  const app: App = {
    name: "app",
    types: {},
    packages: Object.entries(packages).map(([name, routes]) => ({
      name,
      dir: name,
      service: name,
      declarations: routes.map(endpoint),
    })),
  };
  return routeClashes(app).map(({ winner: kept, loser: lost }) => `${kept.route.pattern} | ${lost.route.pattern}`);
}

test("the same route in two packages clashes, and the first package in name order keeps it", () => {
  expect(clashesOf({ a: ["GET /x/{id}"], b: ["GET /x/{other}"] })).toEqual(["GET /x/{id} | GET /x/{other}"]);
});

test("two routes of which neither is more specific clash", () => {
  expect(clashesOf({ a: ["GET /x/{id}"], b: ["GET /{id}/y"] })).toEqual(["GET /x/{id} | GET /{id}/y"]);
});

test("a more specific route, another method and another length are no clash", () => {
  expect(clashesOf({ a: ["GET /x/{id}"], b: ["GET /x/y", "POST /x/{id}", "GET /x", "GET /x/{id}/z"] })).toEqual([]);
});

test("whatever the routes are, the clashes are those that a comparison of all pairs finds", () => {
  const segment = fc.constantFrom("a", "b", "{x}", "{y}");
  const route = fc
    .tuple(fc.constantFrom("GET", "POST"), fc.array(segment, { minLength: 1, maxLength: 3 }))
    .map(([method, segments]) => `${method} /${segments.join("/")}`);
  const packages = fc.array(fc.array(route, { maxLength: 5 }), { maxLength: 5 });
  fc.assert(
    fc.property(packages, (lists) => {
      const winners: [string, number][] = [];
      const clashes: string[] = [];
      for (const [dir, routes] of lists.entries())
        for (const pattern of routes) {
          const rival = winners.find(([other, from]) => from !== dir && clash(other, pattern));
          if (rival) clashes.push(`${rival[0]} | ${pattern}`);
          else winners.push([pattern, dir]);
        }
      const named = Object.fromEntries(lists.map((routes, i) => [`p${i}`, routes]));
      expect(clashesOf(named)).toEqual(clashes);
    }),
  );
});

function clash(one: string, other: string): boolean {
  return ["same", "neither"].includes(precedence(endpoint(one).route, endpoint(other).route));
}
