import { pathIn, shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { removeResource, restDriver } from "./rest-driver.ts";

/** A Firestore database in Datastore mode. */
export const database: Driver = restDriver({
  stage: "ground",
  api: "firestore",
  creation: "databaseId",
  operates: true,
  remove: async (id, cloud) => {
    const query = { updateMask: "deleteProtectionState" };
    const body = { deleteProtectionState: "DELETE_PROTECTION_DISABLED" };
    const unprotected = await cloud.find({
      api: "firestore",
      method: "PATCH",
      path: pathIn("firestore", id),
      query,
      body,
    });
    if (unprotected) await cloud.waitForOperation(unprotected, "firestore");
    await removeResource("firestore", id, cloud);
  },
  fixed: ["type", "locationId"],
  terraform: ({ id, spec }) => [{ type: "google_firestore_database", body: { name: shortName(id), ...bodyOf(spec) } }],
  keepsData: true,
  notes: (step) =>
    step === "create"
      ? { costs: "reads, writes and storage are billed", forGood: "its region and mode cannot be changed later" }
      : step === "prune"
        ? { forGood: "all documents are deleted with it" }
        : step === "leave"
          ? { costs: "its documents and indexes are billed by their size" }
          : {},
});
