import { expect, test } from "vitest";
import type { Definitions } from "../platform/contract.ts";
import type { SpanEvent } from "./event-hub.ts";
import { addQueryIndexes } from "./query-indexes.ts";

const definitions: Definitions = {
  kinds: [{ kind: "tickets", properties: [{ name: "status" }, { name: "@tenant" }], composites: [] }],
};

test("a query of an entity with tenants has the indexes that the tenant and its filters need", () => {
  const query = { entity: "tickets", filters: [{ field: "status", operator: "==", value: '"open"' }], orders: [] };
  const step = { kind: "span", name: "entity.all tickets", details: { query } } as unknown as SpanEvent;
  expect(addQueryIndexes([step], definitions)).toEqual([{ ...step, indexes: [["status"], ["tenant"]] }]);
});
