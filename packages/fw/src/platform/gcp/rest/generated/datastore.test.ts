import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { apiTypes, type Discovery } from "../testing/api-types.ts";

const discovery = new URL("../../../../../../fake-cloud/discovery/datastore__v1.json", import.meta.url);
const methods = ["lookup", "runQuery", "runAggregationQuery", "beginTransaction", "commit", "rollback"];

test("the types of the Datastore API are what Google's description of it says", async () => {
  const read = JSON.parse(readFileSync(discovery, "utf8")) as Discovery;
  const types = apiTypes(
    read,
    methods.map((name) => `datastore.projects.${name}`),
  );
  await expect(types).toMatchFileSnapshot(fileURLToPath(new URL("datastore.ts", import.meta.url)));
});
