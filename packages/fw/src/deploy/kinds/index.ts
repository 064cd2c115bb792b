import { SerialQueue } from "../../lib/serial-queue.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { isFields, type Fields, type Value } from "../fields.ts";
import { textOf } from "./marked.ts";

/** The changes of a database's indexes: two at a time contend, and one of them fails. */
const serial = new WeakMap<DeployCloud, SerialQueue>();

/** A composite index. Its name is the cloud's own, so that it is found by its fields. */
export const index: Driver = {
  stage: "release",
  api: "firestore",
  read: async ({ id, spec }, cloud) => {
    const there = await cloud.all({ api: "firestore", method: "GET", path: `/v1/${parentOf(id)}` }, "indexes");
    return there.find((live) => fieldsText(live["fields"]) === fieldsText(spec["fields"]));
  },
  create: async ({ id, spec }, cloud) => {
    const { fields } = spec;
    const body = { apiScope: "DATASTORE_MODE_API", queryScope: "COLLECTION_GROUP", fields };
    const queue = serial.get(cloud) ?? new SerialQueue();
    serial.set(cloud, queue);
    const made = await queue.run(() =>
      cloud.call({ api: "firestore", method: "POST", path: `/v1/${parentOf(id)}`, body }),
    );
    await cloud.finished(made, "firestore", (name) => `/v1/${name}`);
  },
  /** It is there, and still built. */
  patch: async (resource, _live, _changes, cloud) => {
    await cloud.until(`${resource.title} is built`, async () => {
      const live = await index.read(resource, cloud);
      return live?.["state"] === "READY";
    });
  },
  normalize: (live) => ({ ...live, fields: withoutKey(live["fields"]) }),
  fixed: [],
  keepsData: true,
  notes: (step) => (step === "create" ? { costs: "each document is stored in it, too" } : {}),
};

/** Those of one kind of documents: an index's own id ends with its fields. */
function parentOf(id: string): string {
  return id.replace(/\/indexes\/.*$/, "/indexes");
}

/** The API adds the key at the end of each. */
function withoutKey(fields: Value | undefined): readonly Value[] {
  const all = (Array.isArray(fields) ? fields : []) as readonly Fields[];
  return all.filter(
    (field) => isFields(field) && field["fieldPath"] !== "__name__" && field["fieldPath"] !== "__key__",
  );
}

function fieldsText(fields: Value | undefined): string {
  return withoutKey(fields)
    .filter(isFields)
    .map(({ fieldPath, order }) => `${textOf(fieldPath)} ${textOf(order)}`)
    .join(", ");
}
