import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { precedence } from "./precedence.ts";
import type { Route, Segment } from "./route.ts";

function route(pattern: string): Route {
  const [method = "", path = ""] = pattern.split(" ");
  const segments = path.split("/").filter(Boolean).map(segment);
  return { pattern, method, segments };
}

function segment(text: string): Segment {
  return text.startsWith("{") ? { param: text.slice(1, -1) } : { literal: text };
}

describe("of two routes", () => {
  test.each([
    ["GET /a/b", "GET /a/{x}", "first"],
    ["GET /{x}/{y}", "GET /a/{y}", "second"],
    ["GET /a/{x}", "GET /a/{y}", "same"],
    ["GET /", "GET /", "same"],
    ["GET /a/{x}", "GET /{x}/b", "neither"],
    ["GET /a/{x}/c", "GET /a/b/{y}", "neither"],
    ["GET /a/{x}", "GET /b/{x}", "apart"],
    ["GET /a", "POST /a", "apart"],
    ["GET /a", "GET /a/{x}", "apart"],
    ["GET /{x}/b/{y}", "GET /a/{z}/c", "neither"],
    ["GET /{x}/b", "GET /{x}/c", "apart"],
  ])("%s and %s: %s", (first, second, expected) => {
    expect(precedence(route(first), route(second))).toBe(expected);
  });

  const segments = fc.array(fc.constantFrom("a", "b", "{x}", "{y}"), { maxLength: 3 });
  const path = segments.map((parts) => `GET /${parts.join("/")}`);
  const fits = (pattern: Route, request: readonly string[]): boolean =>
    pattern.segments.length === request.length &&
    pattern.segments.every((part, index) => "param" in part || part.literal === request[index]);

  test("the answer agrees with the requests that fit each", () => {
    const requests = [0, 1, 2, 3].flatMap((length) => words(length));
    fc.assert(
      fc.property(path, path, (one, two) => {
        const [first, second] = [route(one), route(two)];
        const inFirst = requests.filter((request) => fits(first, request));
        const inSecond = requests.filter((request) => fits(second, request));
        const sharedRequests = inFirst.filter((request) => fits(second, request)).length;
        const expected = () => {
          if (sharedRequests === 0) return "apart";
          if (sharedRequests === inFirst.length) return sharedRequests === inSecond.length ? "same" : "first";
          return sharedRequests === inSecond.length ? "second" : "neither";
        };
        expect(precedence(first, second)).toBe(expected());
      }),
    );
  });
});

/** Returns every path with this many segments from three words, including a word that no pattern contains. */
function words(length: number): string[][] {
  if (length === 0) return [[]];
  return words(length - 1).flatMap((rest) => ["a", "b", "c"].map((word) => [word, ...rest]));
}
