import { describe, expect, test, vi } from "vitest";
import { failure } from "../../testing/conformance/fixture.ts";
import { CloudError } from "../rest/cloud-error.ts";
import { onFake } from "../testing/fake.ts";
import type { Mishap } from "../testing/faulty-proxy.ts";
import { proofOf, settle } from "./commit.ts";
import { isTransient } from "./commit-retry.ts";
import { isExact } from "./datastore-values.ts";
import { Datastore } from "./datastore.ts";
import { register } from "./index-registry.ts";
import { unindexed } from "./stored-document.ts";

/** Opens a Datastore whose commits encounter faults, and counts its commits. */
async function openDatastore(role: string, mishaps: readonly Mishap[] = []) {
  const next = [...mishaps];
  let commits = 0;
  const on = await onFake(undefined, ({ url }) => {
    if (!url.pathname.endsWith(":commit")) return undefined;
    commits++;
    return next.shift();
  });
  on.fake.grant(`serviceAccount:${on.account}`, role);
  return { datastore: new Datastore(on.cloud, on.place), commits: () => commits };
}

test("a rewrite is repeated after contention only", async () => {
  const { datastore, commits } = await openDatastore("roles/datastore.viewer");
  const key = datastore.keyOf({ kind: "orders", id: "x" });
  expect(await failure(() => datastore.rewrite([{ insert: { key, properties: {} } }]))).toBe("denied");
  expect(commits()).toBe(1);
});

test("a service that may not write registers no index, and reads what it would register", async () => {
  const { datastore } = await openDatastore("roles/datastore.viewer");
  const indexes = await register(datastore, new Map([["orders", ["buyer"]]]));
  expect(JSON.stringify(indexes)).toContain("buyer");
});

describe("the outcome of a commit", () => {
  test("is decided by another attempt if the first one meets a fault", async () => {
    const { datastore, commits } = await openDatastore("roles/datastore.user", ["503", "503"]);
    expect(await settle(datastore, "one")).toBeUndefined();
    expect(commits()).toBe(3);
  });

  test("is that of the proof if there is one", async () => {
    const { datastore } = await openDatastore("roles/datastore.user");
    await datastore.commit({ mutations: [proofOf(datastore, "one")] });
    expect(await settle(datastore, "one")).toEqual(expect.any(String));
    expect(await settle(datastore, "two")).toBeUndefined();
    expect(await settle(datastore, "two")).toBeUndefined();
  });

  test("is unknown if it can be neither found nor decided", async () => {
    const { datastore } = await openDatastore("roles/datastore.viewer");
    expect(await failure(() => settle(datastore, "one"))).toBe("unreachable");
    vi.spyOn(datastore, "commit").mockRejectedValue(new TypeError("a bug"));
    expect(await failure(() => settle(datastore, "one"))).toBe("unreachable");
  });
});

test.each([
  ["a lost answer", { status: 0, code: "UNREACHABLE", unknownEffect: true }, [true, true]],
  ["no connection", { status: 0, code: "UNREACHABLE", unknownEffect: false }, [true, true]],
  ["contention", { status: 409, code: "ABORTED", unknownEffect: false }, [true, false]],
  ["a refusal", { status: 403, code: "PERMISSION_DENIED", unknownEffect: false }, [false, false]],
])("a commit, without and with a transaction, may succeed later after %s", (_what, error, expected) => {
  const requests = [{ mutations: [] }, { mutations: [], transaction: "t" }];
  expect(requests.map((each) => isTransient(new CloudError("x", error), each))).toEqual(expected);
});

test("Datastore returns all values exactly but -0, halves of characters and dates beyond its range", () => {
  const exact = [null, true, 1n, 0, "\u{1F600}", new Date(0), [null, { a: [] }], { a: null }];
  expect(exact.map(isExact)).toEqual(exact.map(() => true));
  const others = [-0, "\ud83d", new Date(8.64e15), [-0], { a: { b: -0 } }, { "\ud83d": 1 }];
  expect(others.map(isExact)).toEqual(others.map(() => false));
});

test("an unindexed value is excluded from Datastore's indexes", () => {
  expect(unindexed({ stringValue: "x".repeat(1_501) })).toMatchObject({ excludeFromIndexes: true });
});
