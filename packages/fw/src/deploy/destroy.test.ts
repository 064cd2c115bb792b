import { expect, test } from "vitest";
import type { Manifest } from "../build/manifest.ts";
import { desired } from "./desired/desired.ts";
import { destroy } from "./destroy.ts";
import { describedSteps } from "./describe.ts";
import { leftoversIn } from "./leftovers.ts";
import { planOf } from "./plan.ts";
import type { Resource } from "./resource.ts";
import { deployOnce } from "./testing/deploys.ts";
import { shopProject } from "./testing/project.ts";
import { declaredShop } from "./testing/shop.ts";

const prunes = { options: { pruneData: true } };
const { entities } = declaredShop.manifest.resources;

test("a deploy that removes the last conditional grant of the project's policy succeeds", async () => {
  const project = await shopProject();
  expect(await deployOnce(project, wantedWith({}))).toMatchObject({ result: "done" });
  const services = declaredShop.manifest.services
    .filter(({ name }) => name !== "web-relay")
    .map((service) => ({ ...service, framework: [], grants: [] }));
  expect(await deployOnce(project, wantedWith({ services }))).toMatchObject({ result: "done" });
  const { bindings = [] } = project.fake.cloud.policies.get("//cloudresourcemanager.googleapis.com/projects/demo-fw");
  expect(bindings.filter(({ condition }) => condition)).toEqual([]);
});

test("an index that is no longer declared is left with its cost, and removed with --prune-data", async () => {
  const project = await shopProject();
  await deployOnce(project, wantedWith({}));
  const without = wantedWith({
    resources: { ...declaredShop.manifest.resources, entities: entities.map((entity) => ({ ...entity, indexes: [] })) },
  });
  const { plan } = await deployOnce(project, without);
  expect(describedSteps(plan)).toMatchObject([
    {
      op: "leave",
      kind: "index",
      title: "index of orders on buyer asc, at desc",
      notes: { costs: expect.anything() as string },
    },
  ]);
  expect(await deployOnce(project, without, prunes)).toMatchObject({ result: "done" });
  expect(project.fake.apis.firestore.indexes.size).toBe(0);
  expect(await deployOnce(project, without, prunes)).toMatchObject({ result: "unchanged" });
});

test("an index for ancestors, which fw never makes, is not in a plan", async () => {
  const project = await shopProject();
  const resources = wantedWith({});
  await deployOnce(project, resources);
  await project.client.call({
    api: "firestore",
    method: "POST",
    path: "/v1/projects/demo-fw/databases/shop-test/collectionGroups/orders/indexes",
    body: {
      apiScope: "DATASTORE_MODE_API",
      queryScope: "COLLECTION_RECURSIVE",
      fields: [
        { fieldPath: "at", order: "ASCENDING" },
        { fieldPath: "buyer", order: "ASCENDING" },
      ],
    },
  });
  expect(await deployOnce(project, resources, prunes)).toMatchObject({ result: "unchanged" });
});

test("what a destroy leaves is listed with what it costs, and indexes as a part of their database", async () => {
  const project = await shopProject();
  await deployOnce(project, wantedWith({}));
  await destroy({
    cloud: project.open(),
    data: false,
    holder: "test",
    clock: project.clock,
    confirm: () => Promise.resolve(true),
  });
  const plan = await planOf([], project.open(), {
    before: [{ kind: "database", id: "projects/demo-fw/databases/shop-test" }],
  });
  const steps = describedSteps(plan);
  expect(steps.filter(({ notes }) => notes.costs === undefined)).toEqual([]);
  expect(steps.map(({ kind }) => kind)).toContain("database");
  expect(steps.map(({ kind }) => kind)).not.toContain("index");
  expect((await leftoversIn(project.open())).map(({ what }) => what)).toEqual([
    "images in europe-west1-docker.pkg.dev/demo-fw/fw/shop-test",
    "bucket demo-fw-fw",
    "Identity Platform with its accounts",
  ]);
});

function wantedWith(more: Partial<Manifest>): readonly Resource[] {
  return desired({ ...declaredShop, manifest: { ...declaredShop.manifest, ...more } });
}
