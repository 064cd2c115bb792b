import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { codePoint } from "../../lib/testing/code-point.ts";
import { parseRoute } from "./route.ts";

describe("a route", () => {
  test.each([
    ["GET /", []],
    ["POST /orders", [{ literal: "orders" }]],
    ["GET /orders/{id}", [{ literal: "orders" }, { param: "id" }]],
    ["DELETE /{a}/x.y~z/{b-2}", [{ param: "a" }, { literal: "x.y~z" }, { param: "b-2" }]],
    ["PATCH /a:b/@me", [{ literal: "a:b" }, { literal: "@me" }]],
    ["PUT /über/{größe}", [{ literal: "über" }, { param: "größe" }]],
  ])("%s is a method and segments", (pattern, segments) => {
    expect(parseRoute(pattern)).toEqual({ pattern, method: pattern.split(" ")[0], segments });
  });

  test.each([
    ["/orders", 'the route "/orders" is not a method and a path', 'write "GET /orders"'],
    [
      "orders",
      'the route "orders" is not a method and a path',
      'write a method, a space and a path, such as "GET /orders/{id}"',
    ],
    ["", 'the route "" is not a method and a path', 'write a method, a space and a path, such as "GET /orders/{id}"'],
    ["get /orders", 'a route cannot have the method "get"', 'write "GET /orders"'],
    ["PSOT /orders", 'a route cannot have the method "PSOT"', 'write "POST /orders"'],
    [
      "BREW /tea",
      'a route cannot have the method "BREW"',
      'the methods are "GET", "POST", "PUT", "PATCH" and "DELETE"',
    ],
    ["HEAD /", 'a route cannot have the method "HEAD"', "GET routes also handle HEAD requests"],
    ["OPTIONS /", 'a route cannot have the method "OPTIONS"', "fw handles OPTIONS requests itself"],
    ["GET orders", 'the path "orders" does not begin with "/"', 'write "/orders"'],
    [
      "GET  /orders",
      'the path " /orders" contains white space',
      "separate the method and the path with one space; paths cannot contain spaces",
    ],
    [
      "GET /a?b=1",
      'the path "/a?b=1" contains a query string',
      "bind query parameters with Query fields of the request",
    ],
    ["GET /a#b", 'the path "/a#b" contains a fragment', "remove it: browsers never send the part after #"],
    ["GET /a/", 'the path "/a/" ends with "/"', 'write "/a"'],
    ["GET //", 'the path "//" ends with "/"', 'write "/"'],
    ["GET /a//b", 'the path "/a//b" has an empty segment', "write one slash between segments"],
    [
      "GET /a/../b",
      'the path "/a/../b" has the segment ".."',
      "clients resolve it before they send a request, so it never arrives",
    ],
    ["GET /users/:id", '":id" in the path "/users/:id" is not a parameter', 'write "{id}"'],
    [
      "GET /users/{1st}",
      '"{1st}" in the path "/users/{1st}" is not a parameter',
      "a parameter's name begins with a letter and contains letters, digits, - and _",
    ],
    ["GET /users/[id]", '"[id]" in the path "/users/[id]" is not a parameter', 'write "{id}"'],
    ["GET /files/[...path]", '"[...path]" in the path "/files/[...path]" is not a parameter', 'write "{path}"'],
    ["GET /files/{path...}", '"{path...}" in the path "/files/{path...}" is not a parameter', 'write "{path}"'],
    ["GET /files/*", '"*" in the path "/files/*" is not a parameter', 'use a named parameter, such as "/orders/{id}"'],
    [
      "GET /a/{}",
      '"{}" in the path "/a/{}" is not a parameter',
      'a parameter must be a whole segment, such as "/orders/{id}"',
    ],
    [
      "GET /a/v{n}",
      '"v{n}" in the path "/a/v{n}" is not a parameter',
      'a parameter must be a whole segment, such as "/orders/{id}"',
    ],
    ["GET /a%20b", 'the path "/a%20b" contains "%"', "write segments with characters that need no encoding in a URL"],
    ["GET /{id}/{id}", 'the path "/{id}/{id}" has two parameters named {id}', "give each parameter its own name"],
  ])("%j is none: %s", (pattern, message, hint) => {
    expect(parseRoute(pattern)).toEqual({ message, hint });
  });

  test("any text is a route or a mistake with something to do about it", () => {
    const texts = fc.oneof(
      fc.string({ unit: codePoint }),
      fc
        .array(fc.constantFrom("GET", " ", "/", "{", "}", "a", ":", "*", "?", "%", ".", "é"), { maxLength: 12 })
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const route = parseRoute(text);
        if ("message" in route) expect(route.hint).not.toBe("");
        else
          expect(
            `${route.method} /${route.segments.map((s) => ("param" in s ? `{${s.param}}` : s.literal)).join("/")}`,
          ).toBe(text);
      }),
    );
  });
});
