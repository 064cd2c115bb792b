import { expect, test } from "vitest";
import { databaseName } from "../../platform/gcp/names.ts";
import { testProject } from "../testing/project.ts";
import { checkIndexCoverage } from "./index-coverage.ts";
import type { DeployNeeds, Problem } from "./problem.ts";

test("a new index is refused while the running version was built with an fw that does not maintain it", async () => {
  const { client, open, place } = await testProject();
  const databaseId = databaseName(place);
  const partitionId = { projectId: place.project, databaseId };
  const properties = {
    at: { doubleValue: 1 },
    buyer: { stringValue: "ann", excludeFromIndexes: true },
    place: { entityValue: { properties: { city: { stringValue: "Bern" } } }, excludeFromIndexes: true },
    tags: { arrayValue: { values: [{ stringValue: "new", excludeFromIndexes: true }] } },
    none: { arrayValue: { values: [] } },
  };
  const upsert = { key: { partitionId, path: [{ kind: "orders", name: "a" }] }, properties };
  const body = { databaseId, mode: "NON_TRANSACTIONAL", mutations: [{ upsert }] };
  await client.call({ api: "datastore", method: "POST", path: `/v1/projects/${place.project}:commit`, body });
  const checked = (indexed: readonly string[]): Promise<readonly Problem[]> => {
    const entities = [{ name: "orders", indexed, at: "shop/orders.ts:4" }];
    return checkIndexCoverage({ entities, keepsDocuments: true } as unknown as DeployNeeds, open(), {
      who: "",
      adopt: false,
    });
  };
  expect(await checked(["at", "none", "other"])).toEqual([]);
  expect((await checked(["place.city", "tags"])).map(({ what }) => /^\S+/.exec(what)?.[0])).toEqual([
    "orders.place.city",
    "orders.tags",
  ]);
  expect(await checked(["at", "buyer"])).toEqual([
    {
      what: "orders.buyer has a new index, and the running version of fw does not maintain it",
      at: "shop/orders.ts:4",
      todo: ["deploy once without the Index of buyer, then again with it"],
    },
  ]);
});
