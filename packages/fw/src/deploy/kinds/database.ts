import { pathIn, shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import type { Change, Fields } from "../fields.ts";
import { bodyOf } from "../terraform/written.ts";
import { changedOf, maskOf, restDriver } from "./rest-driver.ts";

const unprotected = { path: "deleteProtectionState", to: "DELETE_PROTECTION_DISABLED" };

/** A database of Firestore in Datastore mode. */
export const database: Driver = restDriver({
  stage: "ground",
  api: "firestore",
  made: "databaseId",
  patch: ({ id, spec }, _live, changes, cloud) => patch(id, spec, changes, cloud),
  remove: async (id, cloud) => {
    await patch(id, { [unprotected.path]: unprotected.to }, [unprotected], cloud);
    const gone = await cloud.find({ api: "firestore", method: "DELETE", path: pathIn("firestore", id) });
    if (gone) await cloud.finished(gone, "firestore");
  },
  fixed: ["type", "locationId"],
  terraform: ({ id, spec }) => [{ type: "google_firestore_database", body: { name: shortName(id), ...bodyOf(spec) } }],
  keepsData: true,
  notes: (step) =>
    step === "create"
      ? { costs: "reads, writes and storage are billed", forGood: "its region and mode stay as they are" }
      : step === "prune"
        ? { forGood: "every document is deleted with it" }
        : {},
});

async function patch(id: string, spec: Fields, changes: readonly Change[], cloud: DeployCloud): Promise<void> {
  const body = changedOf(spec, changes);
  const path = pathIn("firestore", id);
  const operation = await cloud.find({ api: "firestore", method: "PATCH", path, query: maskOf(changes), body });
  if (operation) await cloud.finished(operation, "firestore");
}
