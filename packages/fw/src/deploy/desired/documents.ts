import type { Manifest } from "../../build/manifest.ts";
import { outdatedProperty } from "../../platform/definitions.ts";
import { indexName } from "../../platform/gcp/entities/index-names.ts";
import * as names from "../../platform/gcp/names.ts";
import type { Fields } from "../fields.ts";
import { keyOf, type Resource } from "../resource.ts";
import { databaseId, keepsDocuments, ownedResource, sharedResource, type ResourceInputs } from "./resource-inputs.ts";

/** The framework's document kinds that never expire. */
const lasting: ReadonlySet<string> = new Set(["_fw_seen", "_fw_registered", "_fw_keys", "_fw_outbox", "_fw_indexes"]);

/** Returns the database, its indexes and the TTL policies; none if no documents are stored. */
export function documentResources({ manifest, place }: ResourceInputs): readonly Resource[] {
  if (!keepsDocuments(manifest)) return [];
  const spec = {
    type: "DATASTORE_MODE",
    locationId: place.region,
    concurrencyMode: "OPTIMISTIC",
    deleteProtectionState: "DELETE_PROTECTION_ENABLED",
  };
  const database = ownedResource("database", databaseId(place), `database ${names.databaseName(place)}`, spec);
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
      return ownedResource("index", id, `index of ${name} on ${text}`, spec, deps);
    }),
  );
  const frameworkEntities = manifest.services.flatMap(({ framework }) =>
    framework.filter(({ kind }) => kind === "entity"),
  );
  const expiring = new Set(frameworkEntities.map(({ name }) => name).filter((name) => !lasting.has(name)));
  const policies = [...expiring].map((kind) =>
    ownedResource(
      "time-to-live",
      `${database.id}/collectionGroups/${kind}/fields/_fw_expires`,
      `expiry policy of ${kind}`,
      { expires: true },
      deps,
    ),
  );
  return [database, ...indexes, ...fieldIndexes(manifest, database), ...policies];
}

/** Returns the indexes of each entity's fields. A deploy adds older documents to them. */
function fieldIndexes({ resources }: Manifest, database: Resource): readonly Resource[] {
  return resources.entities.flatMap(({ name, id, indexed, rules }) => {
    const fields = indexed.filter((field) => field.name !== id);
    const none = { outdated: undefined, unfit: undefined };
    const indexes = [
      ...fields.map((field) => ({ ...none, name: field.name })),
      ...fields.flatMap((field) =>
        field.type === undefined ? [] : [{ ...none, name: field.name, unfit: field.type }],
      ),
      ...(rules === undefined ? [] : [{ ...none, name: outdatedProperty, outdated: rules }]),
    ];
    if (indexes.length === 0) return [];
    const indexesId = `${database.id}/collectionGroups/${name}/fieldIndexes`;
    const spec = { indexes: indexes.map(indexName).toSorted() };
    return [sharedResource("field-indexes", indexesId, `field indexes of ${name}`, spec, [keyOf(database)])];
  });
}
