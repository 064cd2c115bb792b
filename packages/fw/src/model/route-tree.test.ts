import { array, assert, constant, constantFrom, oneof, property, record } from "fast-check";
import { expect, test } from "vitest";
import { precedence } from "./precedence.ts";
import { RouteTree } from "./route-tree.ts";
import type { Route, Segment } from "./route.ts";

const literal = constantFrom("a", "b", "ü").map((text): Segment => ({ literal: text }));
const segment = oneof(
  literal,
  constant("x").map((name): Segment => ({ param: name })),
);
const route = record({ method: constantFrom("GET", "POST"), segments: array(segment, { maxLength: 4 }) });
const part = constantFrom("a", "b", "c", "%C3%BC", "%", "");
const path = array(part, { maxLength: 4 }).map((parts) => `/${parts.join("/")}`);

test("a path finds the routes that it fits, the most specific first", () => {
  assert(
    property(array(route, { maxLength: 12 }), path, (routes, requestPath) => {
      const all = routes.map((each) => ({ ...each, pattern: "" }));
      const tree = new RouteTree<Route>();
      for (const each of all) tree.add(each, each);
      const found = tree.fitting("GET", requestPath);
      expect(new Set(found)).toEqual(new Set(all.filter(({ method }) => method === "GET").filter(fits(requestPath))));
      for (const [index, each] of found.entries())
        for (const later of found.slice(index + 1)) expect(precedence(each, later)).not.toBe("second");
    }),
  );
});

/** Returns a predicate that checks one route at a time, independently of the tree. */
function fits(requestPath: string): (route: Route) => boolean {
  const parts = requestPath === "/" ? [] : requestPath.slice(1).split("/");
  return ({ segments }) =>
    segments.length === parts.length &&
    segments.every((each, index) => {
      const given = parts[index] ?? "";
      if ("param" in each) return given !== "";
      return each.literal === (given === "%C3%BC" ? "ü" : given);
    });
}
