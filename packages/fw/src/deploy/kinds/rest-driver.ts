import type { Api } from "../../platform/gcp/rest/endpoints.ts";
import { collectionOf, pathIn, shortName } from "../api-path.ts";
import { regionOf } from "../desired/resource-inputs.ts";
import type { DeployCloud, Difference, Driver } from "../driver.ts";
import { textOf, topOf, type Change, type Fields } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { hasLabels, mergeLabels } from "./ownership-marks.ts";

/** Describes a kind of resource in a REST API. `restDriver` derives the methods that it omits. */
interface RestKind
  extends
    Omit<Driver, "api" | "read" | "list" | "create" | "patch" | "remove" | "normalize" | "fixed">,
    Partial<Pick<Driver, "read" | "list" | "create" | "patch" | "remove" | "normalize" | "fixed">> {
  readonly api: Api;
  /** The collection to list. Marks, by default labels, identify the application's resources. */
  readonly collection?: Collection;
  /**
   * The request that creates one: a PUT, or a POST with this query parameter for the id. By default, a POST with the
   * name in the body.
   */
  readonly creation?: "put" | `${string}Id`;
  /**
   * The property of a PATCH body that contains the resource, next to the mask. By default, the body is the resource.
   */
  readonly wrapped?: string;
  /** True if changes are long-running operations. */
  readonly operates?: true;
  /** Fields that contain entries of other owners, which stay unchanged. */
  readonly shares?: readonly string[];
  /** A field that only its own method can change: `:resume` runs a paused queue. */
  readonly revives?: { readonly field: string; readonly verb: "enable" | "resume" };
  /** True if undeclared resources are removed with a plain DELETE. */
  readonly isRemoved?: true;
}

interface Collection {
  readonly in: "project" | "region";
  readonly name: string;
  /** The property of the list in responses, if it is not named after the collection. */
  readonly as?: string;
  readonly pageSize: number;
}

export function restDriver({ revives, ...kind }: RestKind): Driver {
  const driver = plainDriver(kind);
  return revives === undefined ? driver : withReviveMethod({ ...driver, api: kind.api }, revives);
}

/** Extends a driver so that a change of `field` calls the API's `:verb` method, after all other changes. */
function withReviveMethod(
  driver: Driver & { readonly api: Api },
  { field, verb }: NonNullable<RestKind["revives"]>,
): Driver {
  const without = (resource: Resource): Resource => {
    const { [field]: _, ...spec } = resource.spec;
    return { ...resource, spec };
  };
  return {
    ...driver,
    create: (resource, cloud) => driver.create(without(resource), cloud),
    patch: async (resource, cloud, { live, changes }) => {
      const others = changes.filter(({ path }) => path !== field);
      if (others.length > 0) await driver.patch(without(resource), cloud, { live, changes: others });
      if (others.length === changes.length) return;
      const path = `${pathIn(driver.api, resource.id)}:${verb}`;
      await cloud.call({ api: driver.api, method: "POST", path, body: {}, repeatable: true });
    },
    terraform: (resource, place) => driver.terraform(without(resource), place),
  };
}

function plainDriver({
  collection,
  creation,
  wrapped,
  operates,
  shares,
  isRemoved,
  ...kind
}: Omit<RestKind, "revives">): Driver {
  const { api, isMarked = (live, place) => hasLabels(live, place) } = kind;
  return {
    read: ({ id }, cloud) => cloud.find({ api, method: "GET", path: pathIn(api, id) }),
    create: async (resource, cloud) => {
      if (creation === undefined) return createNamed(api, resource, cloud);
      const { id, spec } = resource;
      if (creation === "put") return cloud.call({ api, method: "PUT", path: pathIn(api, id), body: spec });
      const request = { path: pathIn(api, collectionOf(id)), query: { [creation]: shortName(id) }, body: spec };
      await cloud.waitForOperation(await cloud.call({ api, method: "POST", ...request }), api);
    },
    patch: async ({ id, spec }, cloud, from) => {
      const body = { name: id, ...changedFields(spec, from, shares) };
      const { updateMask } = maskOf(from.changes);
      const request =
        wrapped === undefined ? { query: { updateMask }, body } : { body: { [wrapped]: body, updateMask } };
      const answer = await cloud.call({ api, method: "PATCH", path: pathIn(api, id), ...request });
      if (operates) await cloud.waitForOperation(answer, api);
    },
    normalize: (live) => live,
    fixed: [],
    ...(collection && { isMarked, list: (cloud) => markedIn(collection, { api, isMarked }, cloud) }),
    ...(isRemoved && { remove: (id, cloud) => removeResource(api, id, cloud) }),
    ...kind,
  };
}

async function markedIn(
  { in: where, name, as = name, pageSize }: Collection,
  { api, isMarked }: Required<Pick<Driver, "isMarked">> & { readonly api: Api },
  cloud: DeployCloud,
): Promise<readonly string[]> {
  const { place } = cloud;
  const parent = where === "project" ? `projects/${place.project}` : regionOf(place);
  const path = pathIn(api, `${parent}/${name}`);
  const all = await cloud.all({ api, method: "GET", path, query: { pageSize } }, as);
  return all.filter((live) => isMarked(live, place, {})).map(({ name }) => textOf(name));
}

export async function createNamed(api: Api, { id, spec }: Resource, cloud: DeployCloud): Promise<void> {
  await cloud.call({ api, method: "POST", path: pathIn(api, collectionOf(id)), body: { name: id, ...spec } });
}

/** Deletes a resource that may already be gone. */
export async function removeResource(api: Api, id: string, cloud: DeployCloud): Promise<void> {
  const deleted = await cloud.find({ api, method: "DELETE", path: pathIn(api, id) });
  if (deleted) await cloud.waitForOperation(deleted, api);
}

export function maskOf(changes: readonly Change[]): { readonly updateMask: string } {
  return { updateMask: topOf(changes).join(",") };
}

/** Returns the changed fields. Shared maps (labels) keep entries that fw does not own. */
export function changedFields(
  spec: Fields,
  { live, changes }: Difference,
  shares: readonly string[] = ["labels"],
): Fields {
  const names = topOf(changes).filter((name) => spec[name] !== undefined);
  return Object.fromEntries(
    names.map((name) => [name, shares.includes(name) ? mergeLabels(spec, live, name) : (spec[name] ?? null)]),
  );
}
