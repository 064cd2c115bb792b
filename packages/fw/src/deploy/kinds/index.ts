import { SerialQueue } from "../../lib/serial-queue.ts";
import { collectionOf, pathIn, shortName } from "../api-path.ts";
import { databaseId } from "../desired/parts.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { itemsOf, textOf, type Fields, type Value } from "../fields.ts";
import { bodyOf } from "../terraform/written.ts";
import { restDriver } from "./rest-driver.ts";

/** The changes of a database's indexes: two at a time contend, and one of them fails. */
const serial = new WeakMap<DeployCloud, SerialQueue>();

/** A composite index. Its name is the cloud's own, so that it is found by its fields. */
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
    await cloud.finished(made, "firestore");
  },
  /** It is there, and still built. */
  patch: (resource, cloud) =>
    cloud.until(`${resource.title} is built`, async () => {
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
    if (step === "prune")
      return { forGood: "a version of the application that queries with it is refused until it is built again" };
    return step === "update" ? {} : { costs: "each document is stored in it, too, and each write pays for it" };
  },
});

/** The database and the kind of documents that a name is below. */
export function collectionGroupOf(id: string): { readonly database: string; readonly collection: string } {
  const [, database = "", collection = ""] = /\/databases\/([^/]+)\/collectionGroups\/([^/]+)\//.exec(id) ?? [];
  return { database, collection };
}

/** The name under which a plan knows an index: Google's own names say nothing of its fields. */
function idOf({ name, fields }: Fields): string {
  return `${collectionOf(textOf(name))}/${fieldsText(fields)}`;
}

async function find(id: string, cloud: DeployCloud): Promise<Fields | undefined> {
  const there = await cloud.all({ api: "firestore", method: "GET", path: parentOf(id) }, "indexes");
  return there.find((live) => isForQueries(live) && fieldsText(live["fields"]) === shortName(id));
}

/** True for an index as fw makes them; others, such as those for ancestors, are of other tools. */
function isForQueries({ apiScope, queryScope, fields }: Fields): boolean {
  const isOrdered = withoutKey(fields).every(({ order }) => order !== undefined);
  return isOrdered && apiScope === "DATASTORE_MODE_API" && queryScope === "COLLECTION_GROUP";
}

function queueOf(cloud: DeployCloud): SerialQueue {
  const queue = serial.get(cloud) ?? new SerialQueue();
  serial.set(cloud, queue);
  return queue;
}

/** The indexes of one kind of documents: an index's own id ends with its fields. */
function parentOf(id: string): string {
  return pathIn("firestore", id.replace(/\/indexes\/.*$/, "/indexes"));
}

/** The fields of an index without the key, which the API adds at the end of each. */
function withoutKey(fields: Value | undefined): readonly Fields[] {
  return itemsOf(fields).filter(({ fieldPath }) => fieldPath !== "__name__" && fieldPath !== "__key__");
}

export function fieldsText(fields: Value | undefined): string {
  return withoutKey(fields)
    .map(({ fieldPath, order }) => `${textOf(fieldPath)} ${order === "DESCENDING" ? "desc" : "asc"}`)
    .join(", ");
}
