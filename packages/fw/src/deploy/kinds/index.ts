import { SerialQueue } from "../../lib/serial-queue.ts";
import { pathIn } from "../api-path.ts";
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
  read: async ({ id, spec }, cloud) => {
    const there = await cloud.all({ api: "firestore", method: "GET", path: parentOf(id) }, "indexes");
    return there.find((live) => fieldsText(live["fields"]) === fieldsText(spec["fields"]));
  },
  create: async ({ id, spec }, cloud) => {
    const { fields } = spec;
    const body = { apiScope: "DATASTORE_MODE_API", queryScope: "COLLECTION_GROUP", fields };
    const queue = serial.get(cloud) ?? new SerialQueue();
    serial.set(cloud, queue);
    const made = await queue.run(() => cloud.call({ api: "firestore", method: "POST", path: parentOf(id), body }));
    await cloud.finished(made, "firestore");
  },
  /** It is there, and still built. */
  patch: (resource, cloud) =>
    cloud.until(`${resource.title} is built`, async () => {
      const live = await index.read(resource, cloud);
      return live?.["state"] === "READY";
    }),
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
  notes: (step) => (step === "create" ? { costs: "each document is stored in it, too" } : {}),
});

/** The database and the kind of documents that a name is below. */
export function collectionGroupOf(id: string): { readonly database: string; readonly collection: string } {
  const [, database = "", collection = ""] = /\/databases\/([^/]+)\/collectionGroups\/([^/]+)\//.exec(id) ?? [];
  return { database, collection };
}

/** Those of one kind of documents: an index's own id ends with its fields. */
function parentOf(id: string): string {
  return pathIn("firestore", id.replace(/\/indexes\/.*$/, "/indexes"));
}

/** The fields of an index without the key, which the API adds at the end of each. */
export function withoutKey(fields: Value | undefined): readonly Fields[] {
  return itemsOf(fields).filter(({ fieldPath }) => fieldPath !== "__name__" && fieldPath !== "__key__");
}

function fieldsText(fields: Value | undefined): string {
  return withoutKey(fields)
    .map(({ fieldPath, order }) => `${textOf(fieldPath)} ${textOf(order)}`)
    .join(", ");
}
