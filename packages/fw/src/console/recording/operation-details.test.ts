import { expect, test } from "vitest";
import { NotFound, StatusError } from "../../declare/errors.ts";
import { messages } from "../../runtime/error-messages.ts";
import {
  captureOperation,
  captureWithoutValues,
  operationDetails,
  type OperationDetails,
} from "./operation-details.ts";

const query = { entity: { name: "orders" }, filters: [{ field: "buyer", operator: "==", value: "ann" }], orders: [] };
const orders = { kind: "entity", name: "orders" };

function details(args: readonly unknown[], result: unknown): OperationDetails | undefined {
  const captured = captureOperation([args, result]);
  return captured && operationDetails(captured);
}

function anonymousDetails(args: readonly unknown[], result: unknown): OperationDetails | undefined {
  const captured = captureWithoutValues([args, result]);
  return captured && operationDetails(captured);
}

test("a query that fails because its index is being filled waits for it, in production without its values", () => {
  const filling = new StatusError(503, messages.indexFilling);
  const described = details([query], filling);
  expect(described).toMatchObject({ query: { entity: "orders" }, waitsForIndex: true });
  expect(described).not.toHaveProperty("documents");
  expect(anonymousDetails([query], filling)).toMatchObject({
    query: { filters: [{ field: "buyer", value: "?" }] },
    waitsForIndex: true,
  });
});

test("an operation with another error or a result waits for no index", () => {
  expect(details([query], new StatusError(503, "closed"))).not.toHaveProperty("waitsForIndex");
  expect(details([query], [{ id: "a" }, { id: "b" }])).toEqual({
    query: expect.objectContaining({ entity: "orders" }),
    documents: 2,
    ids: ["a", "b"],
  });
  expect(details([orders, "a"], { id: "a" })).toEqual({ documents: 1, ids: ["a"] });
  expect(details([orders, "a"], undefined)).toEqual({ documents: 0, ids: ["a"] });
  expect(details([orders, "a"], NotFound())).toEqual({ ids: ["a"] });
});

test.each([
  [[query], [{ id: "a" }, undefined, { id: "b" }], 2],
  [[query], { items: [{ id: "a" }] }, 1],
  [[query], 7, 7],
  [[query], undefined, 0],
  [[query], new StatusError(503, "closed"), undefined],
  [[orders, "a"], { id: "a" }, 1],
  [[orders, "a"], undefined, 0],
  [[orders, { id: "a" }], { id: "a" }, 1],
] as const)("without values, %j has its shape and its number of documents", (args, result, documents) => {
  const anonymous = anonymousDetails(args, result);
  expect(anonymous?.documents).toBe(documents);
  expect(anonymous?.documents).toBe(details(args, result)?.documents);
  expect(anonymous).not.toHaveProperty("ids");
  expect(JSON.stringify(anonymous)).not.toContain("ann");
  expect(anonymous?.query?.filters.map(({ field }) => field)).toEqual(args[0] === query ? ["buyer"] : undefined);
});

test("operations on anything but entities have no details", () => {
  for (const args of [[], ["key"], [null], [{ kind: "bucket", name: "papers" }, "a"]])
    expect([details(args, undefined), anonymousDetails(args, undefined)]).toEqual([undefined, undefined]);
});
