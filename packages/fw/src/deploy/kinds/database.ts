import { pathIn, shortName } from "../api-path.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import type { Change } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { bodyOf } from "../terraform/written.ts";
import { changedOf, maskOf, restDriver } from "./rest-driver.ts";

const unprotected = { path: "deleteProtectionState", to: "DELETE_PROTECTION_DISABLED" };

/** A database of Firestore in Datastore mode. */
export const database: Driver = restDriver({
  stage: "ground",
  api: "firestore",
  made: "databaseId",
  patch: (resource, cloud, { changes }) => patch(resource, cloud, changes),
  remove: async (id, cloud) => {
    await patch({ id, spec: { [unprotected.path]: unprotected.to } }, cloud, [unprotected]);
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

async function patch(
  { id, spec }: Pick<Resource, "id" | "spec">,
  cloud: DeployCloud,
  changes: readonly Change[],
): Promise<void> {
  const body = changedOf(spec, changes);
  const path = pathIn("firestore", id);
  const operation = await cloud.find({ api: "firestore", method: "PATCH", path, query: maskOf(changes), body });
  if (operation) await cloud.finished(operation, "firestore");
}
