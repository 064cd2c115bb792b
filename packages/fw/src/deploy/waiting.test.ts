import { expect, test } from "vitest";
import type { PlanStep } from "./plan.ts";
import type { DeployResult } from "./deploy.ts";
import { desired } from "./desired/desired.ts";
import { preflight } from "./preflight/preflight.ts";
import { deployOnce } from "./testing/deploys.ts";
import { shopProject, type TestProject } from "./testing/project.ts";
import { Killed, recorded } from "./testing/recorded.ts";
import { declaredShop } from "./testing/shop.ts";

const resources = desired(declaredShop);
const deployer = "deployer@demo-fw.iam.gserviceaccount.com";
const project = "//cloudresourcemanager.googleapis.com/projects/demo-fw";

/** The roles listed in docs/deploy.md, as separate items, so that a test can remove one. */
const roles = [
  "roles/run.admin",
  "roles/iam.serviceAccountAdmin",
  "roles/iam.serviceAccountUser",
  "roles/resourcemanager.projectIamAdmin",
  "roles/artifactregistry.admin",
  "roles/serviceusage.serviceUsageAdmin",
  "roles/storage.admin",
  "roles/monitoring.editor",
  "roles/pubsub.admin",
  "roles/cloudtasks.admin",
  "roles/cloudscheduler.admin",
  "roles/datastore.owner",
  "roles/firebaseauth.admin",
  "roles/secretmanager.admin",
  "roles/editor",
];

test("an account whose creation was lost is created again at once, though other accounts are new", async () => {
  const shop = await shopProject();
  await deployOnce(shop, resources);
  await shop.client.call({ api: "iam", method: "DELETE", path: accountPath("web") });
  await shop.client.call({ api: "iam", method: "DELETE", path: accountPath("desk") });
  shop.fake.faults.add({ fault: "503", method: "iam.projects.serviceAccounts.create", times: 1 });
  expect(await secondsOf(shop, () => deployOnce(shop, resources))).toBeLessThan(10);
});

test("a right that is lost during a deploy ends it at once, whatever it has granted before", async () => {
  const shop = await shopProject({ roles });
  let outcome: DeployResult | undefined;
  const onStart = ({ resource }: PlanStep): void => {
    if (resource.kind !== "subscription") return;
    for (const role of ["roles/pubsub.admin", "roles/editor"])
      shop.fake.cloud.policies.revoke(`serviceAccount:${deployer}`, role, project);
  };
  expect(
    await secondsOf(shop, async () => (outcome = await deployOnce(shop, resources, { progress: { onStart } }))),
  ).toBeLessThan(60);
  expect(outcome?.result).toBe("failed");
  expect(outcome?.outcomes.find(({ error }) => error)?.error?.message).toContain("403 PERMISSION_DENIED");
});

test("a quota that is used up is waited for with its reason, also in the look before a deploy", async () => {
  const shop = await shopProject();
  shop.fake.faults.add({ fault: "429", method: "run.projects.locations.services.create", times: 8 });
  const needs = {
    entities: [],
    secrets: [],
    social: false,
    indexes: [],
    keepsDocuments: false,
    changesSince: () => [],
    domains: [],
    isPublic: true,
  };
  await preflight({ ...needs, resources: () => [] }, shop.open(), { who: deployer, adopt: false });
  expect(shop.waits).toEqual(["the quota of the run API is used up (429)"]);
});

test("a wait that ends within seconds is not reported", async () => {
  const shop = await shopProject();
  shop.fake.faults.add({ fault: "429", method: "pubsub.projects.topics.create", times: 2 });
  expect(await deployOnce(shop, resources)).toMatchObject({ result: "done" });
  expect(shop.waits).toEqual([]);
});

test("an API that was just enabled is waited for, by one call at a time", async () => {
  const shop = await shopProject({ newProject: "console" });
  shop.fake.cloud.delays.spread = 60_000;
  expect(await deployOnce(shop, resources)).toMatchObject({ result: "done" });
  expect(shop.waits).toContain("the artifactregistry API has just been enabled and is not usable everywhere yet");
  const client = recorded(shop.client);
  const cloud = shop.open(client);
  shop.fake.cloud.spreading.add("pubsub.googleapis.com");
  shop.fake.clock.after(60_000, () => shop.fake.cloud.spreading.clear());
  cloud.fresh.addApi("projects/demo-fw/services/pubsub.googleapis.com");
  const put = (at: number): Promise<unknown> =>
    cloud.call({ api: "pubsub", method: "PUT", path: `/v1/projects/demo-fw/topics/topic-${at}`, body: {} });
  await Promise.all(Array.from({ length: 20 }, (_, at) => put(at)));
  expect(client.writes.length).toBeLessThan(60);
});

test("whether something exists is never waited for: an API that is off has nothing", async () => {
  const shop = await shopProject({ newProject: true });
  const cloud = shop.open();
  cloud.fresh.addApi("projects/demo-fw/services/pubsub.googleapis.com");
  cloud.fresh.addAccount("shop-test-web@demo-fw.iam.gserviceaccount.com");
  const topic = { api: "pubsub", method: "GET", path: "/v1/projects/demo-fw/topics/shop-test-placed" } as const;
  const account = { api: "iam", method: "GET", path: accountPath("web") } as const;
  const ask = async (): Promise<unknown> => [await cloud.find(topic), await cloud.find(account)];
  expect(await secondsOf(shop, async () => expect(await ask()).toEqual([undefined, undefined]))).toBe(0);
});

/** The calls at which a first deploy of some 480 calls is killed. */
const killPoints =
  Number(process.env["FW_TRIES"] ?? 1) > 1 ? Array.from({ length: 30 }, (_, at) => 20 + at * 15) : [120, 240, 360];

test.each(killPoints)(
  "a deploy that was killed at call %i is resumed by the next one, while accounts and agents still spread",
  async (killedAt) => {
    const shop = await shopProject({ newProject: "console" });
    Object.assign(shop.fake.cloud.delays, { enable: 20_000, spread: 60_000, agent: 20_000, account: 120_000 });
    const killed = deployOnce(shop, resources, { client: recorded(shop.client, killedAt) });
    await expect(killed).rejects.toThrow(Killed);
    await shop.fake.clock.advance(61_000);
    expect((await deployOnce(shop, resources)).outcomes.flatMap(({ error }) => error?.message ?? [])).toEqual([]);
  },
);

/** Returns the duration of an action in seconds, according to the cloud's clock. */
async function secondsOf({ fake }: TestProject, work: () => Promise<unknown>): Promise<number> {
  const since = fake.clock.now();
  await work();
  return (fake.clock.now() - since) / 1000;
}

function accountPath(service: string): string {
  return `/v1/projects/demo-fw/serviceAccounts/shop-test-${service}@demo-fw.iam.gserviceaccount.com`;
}
