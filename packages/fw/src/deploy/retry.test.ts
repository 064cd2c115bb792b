import { expect, test } from "vitest";
import type { CloudRequest } from "../platform/gcp/rest/client.ts";
import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import { pauseOf, transientReason } from "./retry.ts";

const noAnswer = { status: 0, code: "", unknownEffect: true };
const down = { status: 503, code: "UNAVAILABLE", unknownEffect: true };
const noConnection = { status: 0, code: "", unknownEffect: false };
const busy = { status: 409, code: "ABORTED", unknownEffect: false };
const quota = { status: 429, code: "RESOURCE_EXHAUSTED", unknownEffect: false };
const conflict = { status: 409, code: "ALREADY_EXISTS", unknownEffect: false };

const silent = "the storage API does not respond";
const busyReason = "another change is in progress at the storage API";

test.each<[string, ConstructorParameters<typeof CloudError>[1], Partial<CloudRequest>, string | undefined]>([
  ["a read whose answer is lost", noAnswer, { method: "GET" }, silent],
  ["a write whose answer is lost", noAnswer, { method: "POST" }, undefined],
  ["a write that may be repeated and whose answer is lost", noAnswer, { method: "POST", repeatable: true }, silent],
  ["a read of an API that is down", down, { method: "GET" }, `${silent} (503)`],
  ["a write that did not reach the API", noConnection, { method: "POST" }, silent],
  ["a call beyond the quota", quota, { method: "POST" }, "the quota of the storage API is used up (429)"],
  ["a call that lost against another change", busy, { method: "POST" }, busyReason],
  ["a policy that another one overtook", busy, { method: "POST", path: "/v1/x:setIamPolicy" }, undefined],
  ["a policy of a bucket that another one overtook", busy, { method: "PUT", path: "/storage/v1/b/x/iam" }, undefined],
  ["a bucket that another change overtook", busy, { method: "PUT", path: "/storage/v1/b/x" }, busyReason],
  ["a resource that exists", conflict, { method: "POST" }, undefined],
])("a retry has a reason, or there is none: %s", (_what, error, request, reason) => {
  const call: CloudRequest = { api: "storage", method: "GET", path: "/v1/x", ...request };
  expect(transientReason(new CloudError("x", error), call)).toBe(reason);
});

test("a pause is at least as long as the API asks for", () => {
  expect(pauseOf(1, new CloudError("x", { ...quota, retryAfter: 60_000 }))).toBe(60_000);
  expect(pauseOf(1)).toBeLessThanOrEqual(1000);
});
