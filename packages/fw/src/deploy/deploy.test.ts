import { expect, test } from "vitest";
import type { DeployResult } from "./deploy.ts";
import { desired } from "./desired/desired.ts";
import { destroy } from "./destroy.ts";
import { LockedError, takeLock } from "./lock.ts";
import { planOf } from "./plan.ts";
import type { Resource } from "./resource.ts";
import { rollBack, rollbackPlan } from "./rollback.ts";
import { deployOnce, imagesIn } from "./testing/deploys.ts";
import { shopProject, testProject, type TestProject } from "./testing/project.ts";
import { inRounds } from "./testing/rounds.ts";
import { declaredShop } from "./testing/shop.ts";

const web = "projects/demo-fw/locations/europe-west1/services/shop-test-web";

test("requests go to new revisions together, back to those before, and forth again", async () => {
  const project = await shopProject();
  expect(await deployOnce(project, versionOf("one"))).toMatchObject({ result: "done" });
  const first = await servingOf(project);
  const second = await deployOnce(project, versionOf("two"));
  expect(second.result).toBe("done");
  const order = second.outcomes.map(({ step }) => step.resource.kind);
  expect(order.indexOf("traffic")).toBeGreaterThan(order.lastIndexOf("service"));
  const now = await servingOf(project);
  expect(now).not.toBe(first);

  const back = await rollbackPlan(project.open());
  expect(back).toContainEqual({ id: web, from: now, to: first });
  await rollBack(back, project.open());
  expect(await servingOf(project)).toBe(first);
  const third = versionOf("three");
  const { steps } = await planOf(third, project.open(undefined, imagesIn(third)));
  expect(steps.find(({ resource }) => resource.kind === "traffic" && resource.id === web)).toMatchObject({
    op: "update",
    changes: [{ path: "serving", from: first, to: "latest" }],
  });
  await rollBack(await rollbackPlan(project.open()), project.open());
  expect(await servingOf(project)).toBe(now);
});

test("somebody who deploys keeps others from it, until he ends or has been gone for a minute", async () => {
  const project = await shopProject();
  expect(await deployOnce(project, versionOf("one"))).toMatchObject({ result: "done" });
  const lock = await takeLock(project.open(), "ada@home", project.clock);
  await expect(deployOnce(project, versionOf("two"))).rejects.toThrow(/^ada@home has been deploying since 2026-01-01T/);
  await lock.release();
  expect(await deployOnce(project, versionOf("two"))).toMatchObject({ result: "done" });

  const beats: (() => Promise<void>)[] = [];
  const killed = await takeLock(project.open(), "ada@home", {
    ...project.clock,
    every: (_, run) => (beats.push(run), () => {}),
  });
  await project.fake.clock.advance(61_000);
  expect(await deployOnce(project, versionOf("one"))).toMatchObject({ result: "done" });
  for (const beat of beats) await beat();
  expect(killed.lost.reason).toBeInstanceOf(LockedError);
});

test("a plan that is no longer what was confirmed is not carried out", async () => {
  const project = await shopProject();
  await deployOnce(project, versionOf("one"));
  const confirm = async (): Promise<boolean> => {
    const path = "/v1/projects/demo-fw/topics/shop-test-placed";
    await project.client.call({ api: "pubsub", method: "DELETE", path });
    return true;
  };
  const two = deployOnce(project, versionOf("two"), { confirm });
  await expect(two).rejects.toThrow("the project has changed since the plan was made");
});

test("a project in which hardly any API is on gets those that the application needs, before anything else", async () => {
  const project = await testProject(1, { newProject: true });
  const needless = { ...declaredShop.manifest.resources, channels: [], alerts: [] };
  const services = declaredShop.manifest.services.map((each) => ({ ...each, secrets: [] }));
  const desiredResources = desired({
    ...declaredShop,
    manifest: { ...declaredShop.manifest, services, resources: needless },
  });
  const { result, outcomes } = await deployOnce(project, desiredResources);
  expect(outcomes.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
  expect(result).toBe("done");
});

test("destroyed, an application leaves its data, and nothing of it when that is asked for", async () => {
  const project = await shopProject();
  await deployOnce(project, versionOf("one"));
  await destroyed(project, false);
  const remainingPlan = await planOf([], project.open());
  expect([...new Set(remainingPlan.steps.map(({ op }) => op))]).toEqual(["leave"]);
  expect(remainingPlan.steps.map(({ resource }) => resource.kind)).toEqual(expect.arrayContaining(["bucket", "topic"]));
  await destroyed(project, true);
  expect((await planOf([], project.open())).steps).toEqual([]);
  expect(project.fake.apis.tasks.queues.size).toBe(0);
  expect(project.fake.apis.firestore.databases.size).toBe(0);
  const { bindings = [] } = project.fake.cloud.policies.get("//cloudresourcemanager.googleapis.com/projects/demo-fw");
  expect(bindings.flatMap(({ members }) => members)).toEqual([
    "serviceAccount:deployer@demo-fw.iam.gserviceaccount.com",
  ]);
});

/** The duration of a call, in milliseconds. */
const callMs = 50;

test("twenty services that are as declared are looked at in less than three seconds, and new code of all takes less than five", async () => {
  const project = await shopProject();
  const version = (content: string): readonly Resource[] => {
    const services = Array.from({ length: 20 }, (_, at) => ({
      ...declaredShop.manifest.services[1],
      name: `s${at}`,
      kind: "app" as const,
      domain: "",
    }));
    const manifest = { ...declaredShop.manifest, services } as typeof declaredShop.manifest;
    const images = Object.fromEntries(
      services.map(({ name }) => [name, `${Object.values(declaredShop.images)[0]}-${content}`]),
    );
    return desired({ ...declaredShop, manifest, images });
  };
  const milliseconds = async (
    desiredResources: readonly Resource[],
    result: DeployResult["result"],
  ): Promise<number> => {
    const client = inRounds(project.client);
    expect(await deployOnce(project, desiredResources, { client })).toMatchObject({ result });
    return client.rounds() * callMs;
  };
  await deployOnce(project, version("one"));
  expect(await milliseconds(version("one"), "unchanged")).toBeLessThan(3_000);
  expect(await milliseconds(version("two"), "done")).toBeLessThan(5_000);
});

test("accounts of Google's own, which a new project has none of, are asked for before anything is granted to them", async () => {
  const project = await shopProject();
  expect(project.fake.cloud.agents.size).toBe(0);
  expect(await deployOnce(project, versionOf("one"))).toMatchObject({ result: "done" });
  expect([...project.fake.cloud.agents].toSorted()).toEqual([
    "service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com",
    "service-123456789012@gs-project-accounts.iam.gserviceaccount.com",
  ]);
});

function versionOf(content: string): readonly Resource[] {
  const images = Object.fromEntries(
    Object.entries(declaredShop.images).map(([name, image]) => [name, `${image}-${content}`]),
  );
  return desired({ ...declaredShop, images });
}

async function destroyed(project: TestProject, data: boolean): Promise<void> {
  const destruction = await destroy({
    cloud: project.open(),
    data,
    holder: "test",
    clock: project.clock,
    confirm: () => Promise.resolve(true),
  });
  expect(destruction?.outcomes.filter(({ state }) => state !== "done")).toEqual([]);
}

async function servingOf({ open }: TestProject): Promise<string | undefined> {
  const live = await open().find({ api: "run", method: "GET", path: `/v2/${web}` });
  const [target] = (live?.["traffic"] ?? []) as unknown as readonly { revision?: string }[];
  return target?.revision;
}
