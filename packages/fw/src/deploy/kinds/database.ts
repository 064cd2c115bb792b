import { pathIn, shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { bodyOf } from "../terraform/written.ts";
import { removed, restDriver } from "./rest-driver.ts";

/** A database of Firestore in Datastore mode. */
export const database: Driver = restDriver({
  stage: "ground",
  api: "firestore",
  made: "databaseId",
  operates: true,
  remove: async (id, cloud) => {
    const query = { updateMask: "deleteProtectionState" };
    const body = { deleteProtectionState: "DELETE_PROTECTION_DISABLED" };
    const opened = await cloud.find({ api: "firestore", method: "PATCH", path: pathIn("firestore", id), query, body });
    if (opened) await cloud.finished(opened, "firestore");
    await removed("firestore", id, cloud);
  },
  fixed: ["type", "locationId"],
  terraform: ({ id, spec }) => [{ type: "google_firestore_database", body: { name: shortName(id), ...bodyOf(spec) } }],
  keepsData: true,
  notes: (step) =>
    step === "create"
      ? { costs: "reads, writes and storage are billed", forGood: "its region and mode stay as they are" }
      : step === "prune"
        ? { forGood: "every document is deleted with it" }
        : step === "leave"
          ? { costs: "its documents and indexes are billed by their size" }
          : {},
});
