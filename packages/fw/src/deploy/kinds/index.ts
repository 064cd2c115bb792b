import { cachedByObject } from "../../lib/cached-by-object.ts";
import { SerialQueue } from "../../lib/serial-queue.ts";
import { collectionOf, pathIn, shortName } from "../api-path.ts";
import { databaseId } from "../desired/resource-inputs.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { itemsOf, textOf, type Fields, type Value } from "../fields.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { restDriver } from "./rest-driver.ts";

/** Serializes changes to indexes, because concurrent ones conflict. */
const queueOf = cachedByObject<DeployCloud, SerialQueue>(() => new SerialQueue());

/** A composite index. The cloud assigns its name, so it is identified by its fields. */
export const index: Driver = restDriver({
  stage: "release",
  api: "firestore",
  read: ({ id }, cloud) => find(id, cloud),
  inside: "database",
  list: async (cloud) => {
    const path = pathIn("firestore", `${databaseId(cloud.place)}/collectionGroups/-/indexes`);
    const all = await cloud.all({ api: "firestore", method: "GET", path, query: { pageSize: 500 } }, "indexes");
    return all.filter(isForQueries).map(idOf);
  },
  create: async ({ id, spec }, cloud) => {
    const { fields } = spec;
    const body = { apiScope: "DATASTORE_MODE_API", queryScope: "COLLECTION_GROUP", fields };
    const request = { api: "firestore", method: "POST", path: parentOf(id), body } as const;
    const made = await queueOf(cloud).run(() => cloud.call(request));
    await cloud.waitForOperation(made, "firestore");
  },
  /** Waits for an existing index that is still building. */
  patch: (resource, cloud) =>
    cloud.until(`the ${resource.title}`, async () => {
      const live = await index.read(resource, cloud);
      return live?.["state"] === "READY";
    }),
  remove: async (id, cloud) => {
    const live = await find(id, cloud);
    const path = pathIn("firestore", textOf(live?.["name"]));
    if (live) await queueOf(cloud).run(() => cloud.find({ api: "firestore", method: "DELETE", path }));
  },
  normalize: (live) => ({ ...live, fields: withoutKey(live["fields"]) }),
  terraform: ({ id, spec }) => [
    {
      type: "google_firestore_index",
      body: {
        ...collectionGroupOf(id),
        api_scope: "DATASTORE_MODE_API",
        query_scope: "COLLECTION_GROUP",
        ...bodyOf({ fields: spec["fields"] ?? [] }),
      },
    },
  ],
  keepsData: true,
  titleOf: (id) => `index of ${collectionGroupOf(id).collection} on ${shortName(id)}`,
  notes: (step) => {
    if (step === "prune") return { forGood: "versions of the application that use it fail until it is built again" };
    return step === "update" ? {} : { costs: "each document takes storage in it, and each write costs more" };
  },
});

/** Extracts the database and the document kind from the id of an index, a TTL policy or an entity's field indexes. */
export function collectionGroupOf(id: string): { readonly database: string; readonly collection: string } {
  const [, database = "", collection = ""] = /\/databases\/([^/]+)\/collectionGroups\/([^/]+)\//.exec(id) ?? [];
  return { database, collection };
}

/** Returns the plan's id of an index. It contains the fields, which Google's name does not. */
function idOf({ name, fields }: Fields): string {
  return `${collectionOf(textOf(name))}/${fieldsText(fields)}`;
}

async function find(id: string, cloud: DeployCloud): Promise<Fields | undefined> {
  const indexes = await cloud.all({ api: "firestore", method: "GET", path: parentOf(id) }, "indexes");
  return indexes.find((live) => isForQueries(live) && fieldsText(live["fields"]) === shortName(id));
}

/** True if fw could have created the index. Other tools create other kinds, for example for ancestor queries. */
function isForQueries({ apiScope, queryScope, fields }: Fields): boolean {
  const isOrdered = withoutKey(fields).every(({ order }) => order !== undefined);
  return isOrdered && apiScope === "DATASTORE_MODE_API" && queryScope === "COLLECTION_GROUP";
}

function parentOf(id: string): string {
  return pathIn("firestore", id.replace(/\/indexes\/.*$/, "/indexes"));
}

/** Returns an index's fields without the key that the API appends. */
function withoutKey(fields: Value | undefined): readonly Fields[] {
  return itemsOf(fields).filter(({ fieldPath }) => fieldPath !== "__name__" && fieldPath !== "__key__");
}

export function fieldsText(fields: Value | undefined): string {
  return withoutKey(fields)
    .map(({ fieldPath, order }) => `${textOf(fieldPath)} ${order === "DESCENDING" ? "desc" : "asc"}`)
    .join(", ");
}
