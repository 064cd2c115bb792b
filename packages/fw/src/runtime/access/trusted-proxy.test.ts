import { expect, test } from "vitest";
import { requireAdmission, type Admission } from "./trusted-proxy.ts";

const admission: Admission = { calls: (token) => token === "orders" };

/** Returns whether a request is admitted and, if so, whether it counts as forwarded. */
function outcomeOf(
  path: string,
  { front, ...headers }: Readonly<Record<string, string>>,
): "refused" | "forwarded" | "admitted" {
  const isForwarded = front === undefined ? {} : ({ isForwarded: true } as const);
  const request = { path, forwarded: false, exchange: { header: (name: string) => headers[name], ...isForwarded } };
  try {
    requireAdmission(request, admission);
  } catch (error) {
    expect(error).toMatchObject({ status: 403 });
    return "refused";
  }
  return request.forwarded ? "forwarded" : "admitted";
}

test.each([
  ["forwarded", "/a", { front: "relay" }],
  ["forwarded", "/_fw/api/push", { front: "relay" }],
  ["admitted", "/a", { authorization: "Bearer orders" }],
  ["refused", "/a", {}],
  ["refused", "/a", { authorization: "Bearer front" }],
  ["refused", "/a", { authorization: "Basic orders" }],
  ["admitted", "/_fw/api/push", {}],
  ["admitted", "/_fw/api/cron/sweep", {}],
  ["refused", "/_fw/api/pushes", {}],
  ["refused", "/_fw/api/signed/x", {}],
  ["refused", "/api/push", {}],
])("a request behind a proxy is %s: %s %j", (outcome, path, headers) => {
  expect(outcomeOf(path, headers)).toBe(outcome);
});
