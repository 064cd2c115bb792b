import * as names from "../../platform/gcp/names.ts";
import type { Fields } from "../fields.ts";
import { keyOf, type Resource } from "../resource.ts";
import { databaseId, keepsDocuments, owned, type Declared } from "./parts.ts";

/** The framework's own documents that last: all others of its kinds expire. */
const lasting: ReadonlySet<string> = new Set(["_fw_seen", "_fw_registered", "_fw_keys", "_fw_outbox"]);

/** The database, the indexes that queries need, and that what has expired is deleted. */
export function documentResources({ manifest, place }: Declared): readonly Resource[] {
  if (!keepsDocuments(manifest)) return [];
  const spec = {
    type: "DATASTORE_MODE",
    locationId: place.region,
    concurrencyMode: "OPTIMISTIC",
    deleteProtectionState: "DELETE_PROTECTION_ENABLED",
  };
  const database = owned("database", databaseId(place), `database ${names.databaseName(place)}`, spec);
  const deps = [keyOf(database)];
  const indexes = manifest.resources.entities.flatMap(({ name, indexes }) =>
    indexes.map((index) => {
      const fields = index.map(({ field, direction }) => ({
        fieldPath: field,
        order: direction === "asc" ? "ASCENDING" : "DESCENDING",
      }));
      const text = index.map(({ field, direction }) => `${field} ${direction}`).join(", ");
      const id = `${database.id}/collectionGroups/${name}/indexes/${text}`;
      const spec: Fields = { fields, state: "READY" };
      return owned("index", id, `index of ${name} on ${text}`, spec, deps);
    }),
  );
  const own = manifest.services.flatMap(({ framework }) => framework.filter(({ kind }) => kind === "entity"));
  const expiring = new Set(own.map(({ name }) => name).filter((name) => !lasting.has(name)));
  const policies = [...expiring].map((kind) =>
    owned(
      "time-to-live",
      `${database.id}/collectionGroups/${kind}/fields/_fw_expires`,
      `deletion of ${kind} that have expired`,
      { expires: true },
      deps,
    ),
  );
  return [database, ...indexes, ...policies];
}
