import { cachedByObject } from "../../lib/cached-by-object.ts";
import { useTerms } from "../../platform/search-terms.ts";
import { Datastore } from "../../platform/gcp/entities/datastore.ts";
import { byBytes, fillIndexes, keysAfter } from "../../platform/gcp/entities/index-fill.ts";
import { ruleOfIndex } from "../../platform/gcp/entities/index-names.ts";
import {
  changeRegistry,
  isFilled,
  mayWriteUnfit,
  refreshMs,
  register,
  registeredIn,
  registryKey,
  type RegisteredIndexes,
  type RegisteredKind,
} from "../../platform/gcp/entities/index-registry.ts";
import type { EntityResult } from "../../platform/gcp/entities/stored-document.ts";
import { databaseName } from "../../platform/gcp/names.ts";
import { documentPrices } from "../costs.ts";
import type { DeployCloud, Driver } from "../driver.ts";
import { itemsOf, listOf, textOf, type Fields } from "../fields.ts";
import type { Resource } from "../resource.ts";
import { collectionGroupOf } from "./index.ts";

/** The number of versions with maintained indexes: the next version and the two versions of a rollback. */
const maintainedVersions = 3;

/** Milliseconds between two reports of a fill's progress. */
const reportMs = 60_000;

/** The indexes of an entity's fields. A deploy adds older documents to them before it switches traffic. */
export const fieldIndexes: Driver = {
  stage: "fill",
  api: "datastore",
  inside: "database",
  fixed: [],
  async read({ id, spec }, cloud) {
    const kind = collectionGroupOf(id).collection;
    const answer = await lookUpRegistry(cloud);
    if (answer === undefined) return undefined;
    const registered = registeredIn(answer[0]);
    const filled = filledIndexes(registered, kind);
    const unfilled = namesIn(spec).filter((name) => !filled.includes(name));
    const live: Fields = { filled, deployed: registered.kinds[kind]?.deployed?.[0] ?? [] };
    if (unfilled.length === 0) return live;
    const positions = unfilled.map((name) => positionOf(registered, kind, name)).toSorted(byBytes);
    return { ...live, documents: await countDocuments(kind, positions[0] ?? "", cloud) };
  },
  create: fill,
  patch: fill,
  /**
   * Returns the indexes of the last deployed version. If that version has the same indexes, returns only the filled
   * ones.
   */
  normalize: ({ filled, deployed }, { spec }) => {
    const names = namesIn(spec);
    const isDeployed = JSON.stringify(deployed) === JSON.stringify(names);
    return { indexes: isDeployed ? names.filter((name) => listOf(filled).includes(name)) : (deployed ?? []) };
  },
  /** Terraform has no equivalent resource: services fill the indexes when queries need them. */
  terraform: () => [],
  titleOf: (id) => `field indexes of ${collectionGroupOf(id).collection}`,
  notes: (_step, { spec }, live) => {
    const documents = Number(live["documents"] ?? 0);
    if (documents === 0) return {};
    const filled = listOf(live["filled"]);
    const hasNewRules = namesIn(spec).some((name) => ruleOfIndex(name) !== undefined && !filled.includes(name));
    const writes = hasNewRules ? 2 : 1;
    const price = documents * (documentPrices.read + writes * documentPrices.write);
    return {
      costs: `${documents} ${documents === 1 ? "document" : "documents"} read once and written ${writes === 1 ? "at most once" : "at most twice"}, up to ${price.toFixed(2)} USD`,
    };
  },
};

/** True if a version that maintains all registered indexes has registered the entity. */
export async function isRegistered(kind: string, cloud: DeployCloud): Promise<boolean> {
  return registeredIn((await lookUpRegistry(cloud))?.[0]).kinds[kind] !== undefined;
}

function namesIn(spec: Fields): readonly string[] {
  return listOf(spec["indexes"]).map(textOf);
}

/** Registers the indexes, then fills them with older documents. */
async function fill({ id, spec, title }: Resource, cloud: DeployCloud): Promise<void> {
  const kind = collectionGroupOf(id).collection;
  const datastore = datastoreOf(cloud);
  const before = await changeRegistry(datastore, (same) => same);
  await register(datastore, new Map([[kind, namesIn(spec)]]));
  // Waits until the running version's processes know that documents may not match its types.
  const registered = before.kinds[kind];
  if (registered !== undefined && mayWriteUnfit(registered, namesIn(spec)))
    await cloud.clock.sleep(refreshMs, undefined, { background: true });
  let reported = cloud.clock.elapsed();
  useTerms();
  await fillIndexes(datastore, kind, {
    onProgress: ({ documentsRead, documentsWritten }) => {
      if (cloud.clock.elapsed() - reported < reportMs) return;
      reported = cloud.clock.elapsed();
      cloud.reportWait(`${title}: ${documentsRead} documents read, ${documentsWritten} written`);
    },
  });
  await changeRegistry(datastore, (registered) => withVersion(registered, kind, namesIn(spec)));
}

/** Records the indexes of a version, and removes indexes that no rollback needs. */
function withVersion(registered: RegisteredIndexes, kind: string, names: readonly string[]): RegisteredIndexes {
  const { indexes: before, deployed = [] }: RegisteredKind = registered.kinds[kind] ?? { indexes: {} };
  const versions = [names, ...deployed.filter((version) => version.join() !== names.join())];
  const maintained = versions.slice(0, maintainedVersions);
  const isMaintained = ([name]: readonly [string, unknown]): boolean =>
    versions.length <= maintainedVersions || maintained.some((version) => version.includes(name));
  const indexes = Object.fromEntries(Object.entries(before).filter(isMaintained));
  return { kinds: { ...registered.kinds, [kind]: { indexes, deployed: maintained } } };
}

function filledIndexes({ kinds }: RegisteredIndexes, kind: string): readonly string[] {
  return Object.entries(kinds[kind]?.indexes ?? {}).flatMap(([name, state]) => (isFilled(state) ? [name] : []));
}

/** Returns the registry's document in a list; undefined if there is no database. */
async function lookUpRegistry(cloud: DeployCloud): Promise<readonly [EntityResult | undefined] | undefined> {
  const keys = [datastoreOf(cloud).keyOf(registryKey)];
  const answer = await cloud.find(request(cloud, "lookup", { keys }));
  return answer && [itemsOf(answer["found"])[0]];
}

/** Returns the id at which an earlier fill of an index stopped; "" if there is none. */
function positionOf({ kinds }: RegisteredIndexes, kind: string, name: string): string {
  const state = kinds[kind]?.indexes[name];
  return state === undefined || isFilled(state) ? "" : state.after;
}

/** Counts the documents that a fill still has to read. */
async function countDocuments(kind: string, after: string, cloud: DeployCloud): Promise<number> {
  const nestedQuery = {
    kind: [{ name: kind }],
    ...(after !== "" && { filter: keysAfter(datastoreOf(cloud), kind, after) }),
  };
  const aggregationQuery = { nestedQuery, aggregations: [{ alias: "n", count: {} }] };
  const { project: projectId } = cloud.place;
  const partitionId = { projectId, databaseId: databaseName(cloud.place) };
  const answer = await cloud.find(request(cloud, "runAggregationQuery", { partitionId, aggregationQuery }));
  const { aggregationResults = [] } = (answer?.["batch"] ?? {}) as unknown as {
    readonly aggregationResults?: readonly {
      readonly aggregateProperties?: { readonly n?: { readonly integerValue?: string } };
    }[];
  };
  return Number(aggregationResults[0]?.aggregateProperties?.n?.integerValue ?? 0);
}

function request(cloud: DeployCloud, method: string, body: object) {
  const path = `/v1/projects/${cloud.place.project}:${method}`;
  const databaseId = databaseName(cloud.place);
  return { api: "datastore", method: "POST", path, body: { databaseId, ...body }, repeatable: true } as const;
}

const datastoreOf = cachedByObject((cloud: DeployCloud) => {
  const { clock, place } = cloud;
  return new Datastore({ client: cloud, clock }, { project: place.project, database: databaseName(place) });
});
