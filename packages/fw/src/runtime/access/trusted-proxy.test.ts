import { expect, test } from "vitest";
import { requireAdmission, type Admission } from "./trusted-proxy.ts";

const admission: Admission = { forwards: (token) => token === "front", calls: (token) => token === "orders" };

/** Whether a request is admitted, and whether it then counts as forwarded. */
function outcomeOf(path: string, headers: Readonly<Record<string, string>>): "refused" | "forwarded" | "admitted" {
  const request = { path, forwarded: false, exchange: { header: (name: string) => headers[name] } };
  try {
    requireAdmission(request, admission);
  } catch (error) {
    expect(error).toMatchObject({ status: 403 });
    return "refused";
  }
  return request.forwarded ? "forwarded" : "admitted";
}

test.each([
  ["forwarded", "/a", { "x-fw-forwarded": "front" }],
  ["forwarded", "/_fw/api/push", { "x-fw-forwarded": "front" }],
  ["admitted", "/a", { authorization: "Bearer orders" }],
  ["admitted", "/a", { "x-fw-forwarded": "forged", authorization: "Bearer orders" }],
  ["refused", "/a", {}],
  ["refused", "/a", { "x-fw-forwarded": "forged" }],
  ["refused", "/a", { "x-fw-forwarded": "orders" }],
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
