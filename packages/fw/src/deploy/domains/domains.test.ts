import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { describedSteps } from "../describe.ts";
import { desired } from "../desired/desired.ts";
import { destroy } from "../destroy.ts";
import { planOf } from "../plan.ts";
import type { Resource } from "../resource.ts";
import { deployOnce, imagesIn } from "../testing/deploys.ts";
import { testProject, type TestProject } from "../testing/project.ts";
import { declaredShop } from "../testing/shop.ts";
import { openLookUp, type LookUp } from "./look-up.ts";
import { domainStates, type DomainStatus } from "./state.ts";

const minutes = 60_000;
const mapping = "projects/demo-fw/locations/europe-west1/domainmappings/shop.example.com";

test("a domain awaits DNS, then its certificate, then is ACTIVE; a deploy that is run again reports that and changes nothing", async () => {
  const project = await testProject();
  const { zone } = project.fake.apis;
  expect(await deployOnce(project, shopAt("web"))).toMatchObject({ result: "done" });
  const records = [{ type: "CNAME", name: "shop.example.com", data: "ghs.googlehosted.com" }];
  const domainMapping = { domain: "shop.example.com", service: "shop-test-web", records };
  expect(await stateOf(project)).toEqual({ ...domainMapping, state: "awaiting DNS", note: "it has no records yet" });
  zone.set("shop.example.com", { type: "A", data: "104.16.0.1" });
  expect(await stateOf(project)).toMatchObject({
    state: "awaiting DNS",
    note: expect.stringMatching(/^it points elsewhere: 104\.16\.0\.1; a domain behind a proxy/) as string,
  });
  zone.set("shop.example.com", { type: "CNAME", data: "ghs.googlehosted.com" });
  expect(await stateOf(project)).toMatchObject({ state: "certificate pending" });
  await project.fake.clock.advance(15 * minutes);
  expect(await stateOf(project)).toEqual({ ...domainMapping, state: "certificate ACTIVE" });
  expect(await deployOnce(project, shopAt("web"))).toMatchObject({ result: "unchanged" });
});

test("a mapping that Google gives up on has failed, in Google's words", async () => {
  const project = await testProject();
  await deployOnce(project, shopAt("web"));
  project.fake.apis.domains.fail("shop.example.com", "CAA records forbid Google's authority.");
  expect(await stateOf(project)).toMatchObject({ state: "failed", note: "CAA records forbid Google's authority." });
});

test("a zone may have the addresses of the alias in its place", async () => {
  const project = await testProject();
  await deployOnce(project, shopAt("web"));
  project.fake.apis.zone.set("shop.example.com", { type: "A", data: "142.250.0.121" });
  expect(await stateOf(project)).toMatchObject({ state: "certificate pending" });
});

test("a registered domain has addresses to lead to, and one of them is enough", async () => {
  const project = await testProject();
  await deployOnce(project, shopAt("web", "example.com"));
  expect((await stateOf(project, "example.com"))?.records.map(({ type }) => type)).toEqual(
    "A A A A AAAA AAAA".split(" "),
  );
  project.fake.apis.zone.set("example.com", { type: "AAAA", data: "2001:4860:4802:32::15" });
  expect(await stateOf(project, "example.com")).toMatchObject({ state: "certificate pending" });
});

test("a resolver that does not answer is not waited for", async () => {
  const silent = createSocket("udp4").bind(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const lookUp = openLookUp({ FW_DNS_SERVERS: `127.0.0.1:${silent.address().port}` }, 200);
  expect(await lookUp("shop.example.com")).toMatch(/^E(?:TIMEOUT|CANCELLED)$/);
  const project = await testProject();
  await deployOnce(project, shopAt("web"));
  expect(await stateOf(project, "shop.example.com", () => Promise.resolve("ETIMEOUT"))).toMatchObject({
    state: "awaiting DNS",
    note: "the DNS lookup failed (ETIMEOUT)",
  });
});

test("a domain that moves to another service is replaced, which the plan says leaves it dark, and by whose name that is confirmed", async () => {
  const project = await testProject();
  await deployOnce(project, shopAt("web"));
  const movedPlan = await planOf(shopAt("desk"), project.open(undefined, imagesIn(shopAt("desk"))));
  const step = describedSteps(movedPlan).find(({ kind }) => kind === "domain");
  expect(step).toMatchObject({
    op: "replace",
    title: "domain shop.example.com",
    changes: ['spec.routeName: "shop-test-web" → "shop-test-desk"'],
    notes: {
      downtime:
        "shop.example.com is offline until its new certificate is issued: usually about 15 minutes, up to 24 hours",
    },
    destroys: true,
  });
  expect(await deployOnce(project, shopAt("desk"))).toMatchObject({ result: "done" });
  expect(await stateOf(project)).toMatchObject({ service: "shop-test-desk", state: "awaiting DNS" });
});

test("a domain that is no longer declared goes after its removal was confirmed by name, and with a destroyed application", async () => {
  const project = await testProject();
  await deployOnce(project, shopAt("web"));
  const without = await planOf(shopAt("web", ""), project.open(undefined, imagesIn(shopAt("web", ""))));
  expect(describedSteps(without)).toMatchObject([
    { op: "prune", kind: "domain", destroys: true, notes: { downtime: "shop.example.com goes offline" } },
  ]);
  await destroyed(project);
  expect(await project.open().find({ api: "run", method: "GET", path: `/v1/${mapping}` })).toBeUndefined();
});

test("a mapping that somebody has led to another service by hand is told, and not touched", async () => {
  const project = await testProject();
  await deployOnce(project, shopAt("web"));
  const cloud = project.open();
  await cloud.call({ api: "run", method: "DELETE", path: `/v1/${mapping}` });
  const body = {
    metadata: { name: "shop.example.com", namespace: "demo-fw" },
    spec: { routeName: "shop-test-desk" },
  };
  const path = "/v1/projects/demo-fw/locations/europe-west1/domainmappings";
  await cloud.call({ api: "run", method: "POST", path, body });
  const plan = await planOf(shopAt("web"), project.open(undefined, imagesIn(shopAt("web"))));
  expect(describedSteps(plan)).toMatchObject([
    { op: "blocked", kind: "domain", why: expect.stringContaining("is not managed by fw") as string },
  ]);
});

/** Returns the resources of two public services; `service` has the domain. */
function shopAt(service: string, domain = "shop.example.com"): readonly Resource[] {
  const web = declaredShop.manifest.services.find(({ name }) => name === "web");
  if (!web) throw new Error("the shop has no service web");
  const services = ["desk", "web"].map((name) => ({
    ...web,
    name,
    crons: [],
    secrets: [],
    measures: true,
    grants: [],
    framework: [],
    domain: name === service ? domain : "",
  }));
  const { manifest } = declaredShop;
  const resources = {
    entities: [],
    buckets: [],
    queues: [],
    topics: [],
    jobs: [],
    counters: [],
    histograms: [],
    channels: [],
    alerts: [],
  };
  const { signIn: _, ...others } = manifest;
  return desired({ ...declaredShop, manifest: { ...others, services, resources } });
}

async function stateOf(
  { open, fake }: TestProject,
  domain = "shop.example.com",
  lookUp: LookUp = openLookUp(fake.env, 240_000),
): Promise<DomainStatus | undefined> {
  const [state] = await domainStates(shopAt("web", domain), open(), lookUp);
  return state;
}

async function destroyed(project: TestProject): Promise<void> {
  const confirm = (): Promise<boolean> => Promise.resolve(true);
  const ended = await destroy({ cloud: project.open(), data: false, holder: "test", clock: project.clock, confirm });
  expect(ended?.outcomes.filter(({ state }) => state !== "done")).toEqual([]);
}
