import { expect, test } from "vitest";
import { preflightMaxAge } from "../../lib/limits.ts";
import type { BundledOrigins } from "../bundle.ts";
import { originHeaders, preflightHeaders, preflightMethod } from "./origins.ts";

const origin = "https://app.example";
const byName: BundledOrigins = { allowed: [origin], credentials: true };
const open: BundledOrigins = { allowed: "*", credentials: false };

function headers(values: Readonly<Record<string, string>>) {
  return { header: (name: string): string | undefined => values[name] };
}

test("an answer to a listed origin names it and the headers that its page may read", () => {
  const own = ["Content-Type", "text/plain", "X-Total", "3", "X-Total", "4", "Set-Cookie", "a=b"];
  expect(originHeaders(byName, headers({ origin }), own)).toEqual([
    "Access-Control-Allow-Origin",
    origin,
    "Access-Control-Allow-Credentials",
    "true",
    "Vary",
    "Origin",
    "Access-Control-Expose-Headers",
    "X-Total",
  ]);
  expect(originHeaders({ ...byName, credentials: false }, headers({ origin }), [])).toEqual([
    "Access-Control-Allow-Origin",
    origin,
    "Vary",
    "Origin",
    "Access-Control-Expose-Headers",
    "",
  ]);
});

test("an answer to another origin, or to none, says only that it depends on the origin", () => {
  for (const other of ["https://evil.example", `${origin}.evil.example`, undefined])
    expect(originHeaders(byName, headers(other === undefined ? {} : { origin: other }), ["X-Total", "3"])).toEqual([
      "Vary",
      "Origin",
    ]);
});

test("an answer to any origin does not depend on it", () => {
  expect(originHeaders(open, headers({}), [])).toEqual([
    "Access-Control-Allow-Origin",
    "*",
    "Access-Control-Expose-Headers",
    "",
  ]);
});

const varies = ["Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"];

test("a preflight of a listed origin allows the method and the headers that it asks for", () => {
  const asking = (names: string | undefined) =>
    preflightHeaders(byName, "PUT", headers({ origin, ...(names && { "access-control-request-headers": names }) }));
  const allow = ["Access-Control-Allow-Origin", origin, "Access-Control-Allow-Credentials", "true", ...varies];
  const method = ["Access-Control-Allow-Methods", "PUT"];
  const age = ["Access-Control-Max-Age", preflightMaxAge];
  expect(asking(" x-one ,x-two")).toEqual([
    ...allow,
    ...method,
    "Access-Control-Allow-Headers",
    "x-one, x-two",
    ...age,
  ]);
  for (const names of [undefined, "x-one, bad name", "x\r\ny"])
    expect(asking(names)).toEqual([...allow, ...method, ...age]);
});

test("a preflight of another origin allows nothing", () => {
  expect(preflightHeaders(byName, "PUT", headers({ origin: "https://evil.example" }))).toEqual(varies);
});

test("a preflight is an OPTIONS request with an origin and a method", () => {
  const method = (verb: string, values: Readonly<Record<string, string>>) =>
    preflightMethod({ method: verb, ...headers(values) });
  const preflight = { origin, "access-control-request-method": "PUT" };
  expect(method("OPTIONS", preflight)).toBe("PUT");
  expect([
    method("GET", preflight),
    method("OPTIONS", { origin }),
    method("OPTIONS", { ...preflight, origin: "" }),
  ]).toEqual([undefined, undefined, "PUT"]);
  expect(method("OPTIONS", { "access-control-request-method": "PUT" })).toBeUndefined();
});
