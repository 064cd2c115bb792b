import type { Api } from "../../platform/gcp/rest/endpoints.ts";
import { collectionOf, pathIn, shortName } from "../api-path.ts";
import { regionOf } from "../desired/parts.ts";
import type { DeployCloud, Difference, Driver } from "../driver.ts";
import { textOf, topOf, type Change, type Fields } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { hasLabels, labelled } from "./marked.ts";

/** What a kind says of itself whose resources an API has by their ids: the rest follows from that. */
interface RestKind
  extends
    Omit<Driver, "api" | "read" | "list" | "create" | "patch" | "remove" | "normalize" | "fixed">,
    Partial<Pick<Driver, "read" | "list" | "create" | "patch" | "remove" | "normalize" | "fixed">> {
  readonly api: Api;
  /** Where all are, of which the application's are those that are marked, by labels where nothing else is said. */
  readonly collection?: Collection;
  /** How one is made: put at its id, or in its collection, which is told the id under this name. It says its name itself by default. */
  readonly made?: "put" | `${string}Id`;
  /** Where a call that changes one has it in its body, with the mask beside it: it is the whole body by default. */
  readonly wrapped?: string;
  /** A change is an operation, which is awaited. */
  readonly operates?: true;
  /** Fields in which others have entries of their own, that stay. */
  readonly shares?: readonly string[];
  /** A field that only a call of its own sets: `:resume` runs a paused queue. No other call sends it. */
  readonly revives?: { readonly field: string; readonly verb: "enable" | "resume" };
  /** Whether they are taken away when they are no longer declared, by a call that says no more than that. */
  readonly isRemoved?: true;
}

interface Collection {
  readonly in: "project" | "region";
  readonly name: string;
  /** What the answer calls them, where that is not the collection. */
  readonly as?: string;
  readonly pageSize: number;
}

/** The driver of a kind that is read at its id, and given back in the words of its spec. */
export function restDriver({ revives, ...kind }: RestKind): Driver {
  const driver = plainDriver(kind);
  return revives === undefined ? driver : revived({ ...driver, api: kind.api }, revives);
}

/** Sets a field by a call of its own, after all others. */
function revived(driver: Driver & { readonly api: Api }, { field, verb }: NonNullable<RestKind["revives"]>): Driver {
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
  made,
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
      if (made === undefined) return createNamed(api, resource, cloud);
      const { id, spec } = resource;
      if (made === "put") return cloud.call({ api, method: "PUT", path: pathIn(api, id), body: spec });
      const request = { path: pathIn(api, collectionOf(id)), query: { [made]: shortName(id) }, body: spec };
      await cloud.finished(await cloud.call({ api, method: "POST", ...request }), api);
    },
    patch: async ({ id, spec }, cloud, from) => {
      const body = { name: id, ...changed(spec, from, shares) };
      const { updateMask } = maskOf(from.changes);
      const said = wrapped === undefined ? { query: { updateMask }, body } : { body: { [wrapped]: body, updateMask } };
      const answer = await cloud.call({ api, method: "PATCH", path: pathIn(api, id), ...said });
      if (operates) await cloud.finished(answer, api);
    },
    normalize: (live) => live,
    fixed: [],
    ...(collection && { isMarked, list: (cloud) => markedIn(collection, { api, isMarked }, cloud) }),
    ...(isRemoved && { remove: (id, cloud) => removed(api, id, cloud) }),
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

/** Makes what says its own name. */
export async function createNamed(api: Api, { id, spec }: Resource, cloud: DeployCloud): Promise<void> {
  await cloud.call({ api, method: "POST", path: pathIn(api, collectionOf(id)), body: { name: id, ...spec } });
}

/** Takes one away that may be gone. */
export async function removed(api: Api, id: string, cloud: DeployCloud): Promise<void> {
  const gone = await cloud.find({ api, method: "DELETE", path: pathIn(api, id) });
  if (gone) await cloud.finished(gone, api);
}

/** The fields that a call is to change. */
export function maskOf(changes: readonly Change[]): { readonly updateMask: string } {
  return { updateMask: topOf(changes).join(",") };
}

/** Those fields of a spec that are to be otherwise; of maps that are shared, with what others have there. */
export function changed(spec: Fields, { live, changes }: Difference, shares: readonly string[] = ["labels"]): Fields {
  const names = topOf(changes).filter((name) => spec[name] !== undefined);
  return Object.fromEntries(
    names.map((name) => [name, shares.includes(name) ? labelled(spec, live, name) : (spec[name] ?? null)]),
  );
}
