import { expect, test } from "vitest";
import type { App, Endpoint } from "../model/app.ts";
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
  return routeClashes(app).map(({ kept, lost }) => `${kept.route.pattern} | ${lost.route.pattern}`);
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
