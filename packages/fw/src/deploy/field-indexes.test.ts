import { expect, onTestFinished, test } from "vitest";
import type { Clock, Definitions, EntityStore } from "../platform/contract.ts";
import { connectCloud } from "../platform/gcp/cloud.ts";
import { databaseName, serviceAccountEmail } from "../platform/gcp/names.ts";
import { openGcp } from "../platform/gcp/open.ts";
import type { DeployOptions, DeployResult } from "./deploy.ts";
import { describedSteps } from "./describe.ts";
import { desired } from "./desired/desired.ts";
import { deployOnce } from "./testing/deploys.ts";
import { shopProject, type TestProject } from "./testing/project.ts";
import { declaredShop } from "./testing/shop.ts";

const by = (property: string, value: string) =>
  ({ kind: "orders", filters: [{ property, op: "==", value }], orders: [], limit: 100 }) as const;
const keyOf = (id: string) => ({ kind: "orders", id });

interface Version {
  readonly indexed: readonly string[];
  readonly rules?: string;
}

/** Deploys the shop with the indexed fields and the upgrade rules that a version has for its orders. */
function deployVersion(
  { indexed, rules }: Version,
  project: TestProject,
  options: Partial<DeployOptions> = {},
): Promise<DeployResult> {
  const entity = {
    name: "orders",
    id: "id",
    indexed: indexed.map((name) => ({ name, many: false })),
    ...(rules !== undefined && { rules }),
    indexes: [],
  };
  const { manifest } = declaredShop;
  const resources = { ...manifest.resources, entities: [entity, { ...entity, name: "refunds" }] };
  const version = indexed.join("-");
  const images = Object.fromEntries(
    Object.entries(declaredShop.images).map(([name, image]) => [name, `${image}${version}`]),
  );
  return deployOnce(project, desired({ ...declaredShop, manifest: { ...manifest, resources }, images }), options);
}

/** Opens the documents as the code of a version sees them. */
async function documentsOf({ indexed }: Version, { fake, place }: TestProject): Promise<EntityStore> {
  const account = serviceAccountEmail(place, "web");
  const properties = indexed.map((name) => ({ name }));
  const definitions: Definitions = { kinds: [{ kind: "orders", properties, composites: [] }] };
  const now = (): number => fake.clock.now();
  const clock: Clock = { now, elapsed: now, sleep: () => Promise.resolve() };
  const cloud = connectCloud(await fake.envOf(account), clock);
  const platform = await openGcp({ ...place, service: "web", database: databaseName(place) }, definitions, cloud);
  onTestFinished(() => platform.close());
  return platform.entities;
}

test("an Index on a field that documents have is filled before traffic moves to code that queries by it", async () => {
  const project = await shopProject();
  const [first, second] = [{ indexed: ["at"] }, { indexed: ["at", "buyer"] }];
  expect(await deployVersion(first, project)).toMatchObject({ result: "done" });
  const old = await documentsOf(first, project);
  for (let i = 0; i < 120; i++) await old.upsert(keyOf(`o${i}`), { at: 1, buyer: i % 2 ? "ann" : "bob" });

  const now = await documentsOf(second, project);
  const costs: unknown[] = [];
  const atSwitch: number[] = [];
  const result = await deployVersion(second, project, {
    confirm: async (plan) => {
      costs.push(...describedSteps(plan).flatMap(({ kind, notes }) => (kind === "field-indexes" ? [notes.costs] : [])));
      return true;
    },
    progress: {
      onStart: ({ resource }) => {
        if (resource.kind === "traffic") atSwitch.push(project.fake.clock.now());
      },
    },
  });
  expect(result).toMatchObject({ result: "done" });
  expect(costs).toEqual(["120 documents read once and written at most once, up to 0.00 USD", undefined]);
  const order = result.outcomes.map(({ step }) => step.resource.kind);
  expect(order.indexOf("field-indexes")).toBeLessThan(order.indexOf("traffic"));
  expect((await now.query(by("buyer", "ann"))).documents).toHaveLength(60);
  await old.upsert(keyOf("late"), { at: 1, buyer: "ann" });
  expect(await now.count(by("buyer", "ann"))).toBe(61);
  expect(await deployVersion(second, project)).toMatchObject({ result: "unchanged" });
});

test("an index that no version needs any more is maintained while a rollback can return to one that needs it", async () => {
  const project = await shopProject();
  const deployed = (...indexed: readonly string[]): Promise<DeployResult> => deployVersion({ indexed }, project);
  await deployed("at", "buyer");
  const before = await documentsOf({ indexed: ["at", "buyer"] }, project);
  await deployed("at");
  const without = await documentsOf({ indexed: ["at"] }, project);
  await without.upsert(keyOf("a"), { at: 1, buyer: "ann" });
  expect(await before.count(by("buyer", "ann"))).toBe(1);
  await deployed("at", "total");
  await without.upsert(keyOf("b"), { at: 1, buyer: "ann" });
  expect(await before.count(by("buyer", "ann"))).toBe(2);
  await deployed("total");
  await project.fake.clock.advance(30_000);
  await without.upsert(keyOf("c"), { at: 1, buyer: "ann" });
  await expect(before.count(by("buyer", "ann"))).rejects.toMatchObject({ code: "filling" });
});
