import type { DeployCloud, Driver } from "../driver.ts";
import { topOf, type Fields } from "../fields.ts";
import { bodyOf } from "../terraform/written.ts";

/** A database of Firestore in Datastore mode. */
export const database: Driver = {
  stage: "ground",
  api: "firestore",
  read: ({ id }, cloud) => cloud.find({ api: "firestore", method: "GET", path: `/v1/${id}` }),
  create: async ({ id, spec }, cloud) => {
    const [parent, databaseId] = id.split("/databases/");
    const path = `/v1/${parent}/databases`;
    const made = await cloud.call({ api: "firestore", method: "POST", path, query: { databaseId }, body: spec });
    await cloud.finished(made, "firestore", (name) => `/v1/${name}`);
  },
  patch: ({ id, spec }, _live, changes, cloud) => patch(id, spec, topOf(changes), cloud),
  remove: async (id, cloud) => {
    await patch(id, { deleteProtectionState: "DELETE_PROTECTION_DISABLED" }, ["deleteProtectionState"], cloud);
    const gone = await cloud.find({ api: "firestore", method: "DELETE", path: `/v1/${id}` });
    if (gone) await cloud.finished(gone, "firestore", (name) => `/v1/${name}`);
  },
  normalize: (live) => live,
  fixed: ["type", "locationId"],
  terraform: ({ id, spec }) => [
    { type: "google_firestore_database", body: { name: id.split("/").at(-1) ?? "", ...bodyOf(spec) } },
  ],
  keepsData: true,
  notes: (step) =>
    step === "create"
      ? { costs: "reads, writes and storage are billed", forGood: "its region and mode stay as they are" }
      : step === "prune"
        ? { forGood: "every document is deleted with it" }
        : {},
};

async function patch(id: string, spec: Fields, fields: readonly string[], cloud: DeployCloud): Promise<void> {
  const body = Object.fromEntries(Object.entries(spec).filter(([name]) => fields.includes(name)));
  const query = { updateMask: fields.join(",") };
  const operation = await cloud.find({ api: "firestore", method: "PATCH", path: `/v1/${id}`, query, body });
  if (operation) await cloud.finished(operation, "firestore", (name) => `/v1/${name}`);
}
