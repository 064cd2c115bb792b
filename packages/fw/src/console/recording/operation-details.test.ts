import { expect, test } from "vitest";
import { NotFound, StatusError } from "../../declare/errors.ts";
import { messages } from "../../runtime/error-messages.ts";
import { captureOperation, operationDetails, withoutValues, type OperationDetails } from "./operation-details.ts";

const query = { entity: { name: "orders" }, filters: [{ field: "buyer", operator: "==", value: "ann" }], orders: [] };
const orders = { kind: "entity", name: "orders" };

function details(args: readonly unknown[], result: unknown): OperationDetails | undefined {
  const captured = captureOperation([args, result]);
  return captured && operationDetails(captured);
}

test("a query that fails because its index is being filled waits for it, in production without its values", () => {
  const filling = new StatusError(503, messages.indexFilling);
  const described = details([query], filling);
  expect(described).toMatchObject({ query: { entity: "orders" }, waitsForIndex: true });
  expect(described).not.toHaveProperty("documents");
  const captured = captureOperation([[query], filling]);
  expect(captured && operationDetails(withoutValues(captured))).toMatchObject({
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
