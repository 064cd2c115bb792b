import { expect, test } from "vitest";
import { member, testCloud, type Answer } from "../testing/client.ts";

type TestCloud = Awaited<ReturnType<typeof testCloud>>;

const start = Date.UTC(2026, 0, 1);
const services = "https://serviceusage.googleapis.com/v1/projects/demo-fw/services";
const identity =
  "https://serviceusage.googleapis.com/v1beta1/projects/123456789012/services/pubsub.googleapis.com:generateServiceIdentity";

test("an API answers SERVICE_DISABLED until the operation that enables it has ended and has spread", async () => {
  await using cloud = await ownedCloud(true);
  Object.assign(cloud.cloud.delays, { enable: 20_000, spread: 30_000 });
  const topics = (): Promise<Answer> =>
    cloud.ask("https://pubsub.googleapis.com/v1/projects/demo-fw/topics", { as: member });
  const state = async (): Promise<unknown> =>
    (await cloud.ask(`${services}/pubsub.googleapis.com`, { as: member })).json["state"];
  await cloud.ask(`${services}/pubsub.googleapis.com:enable`, { as: member, body: {} });
  await cloud.clock.advance(19_999);
  expect([await state(), (await topics()).status]).toEqual(["DISABLED", 403]);
  await cloud.clock.advance(1);
  expect([await state(), (await topics()).text]).toEqual(["ENABLED", expect.stringContaining("SERVICE_DISABLED")]);
  await cloud.clock.advance(30_000);
  expect((await topics()).status).toBe(200);
});

test("a project that the console creates has Google's default APIs enabled, and no others", async () => {
  await using cloud = await ownedCloud("console");
  const status = async (url: string): Promise<number> => (await cloud.ask(url, { as: member })).status;
  expect(await status("https://storage.googleapis.com/storage/v1/b?project=demo-fw")).toBe(200);
  expect(await status("https://pubsub.googleapis.com/v1/projects/demo-fw/topics")).toBe(403);
});

test("a role is granted to Google's agent only after the operation that creates it has ended", async () => {
  await using cloud = await ownedCloud(false);
  const agent = cloud.cloud.agent("gcp-sa-pubsub");
  expect(await policyNaming(cloud, agent)).toContain("does not exist");
  await cloud.ask(identity, { as: member, body: {} });
  expect(await policyNaming(cloud, agent)).toContain("does not exist");
  await cloud.clock.advance(200);
  expect(await policyNaming(cloud, agent)).toContain("bindings");
});

test("a policy names a new service account some time after it was created", async () => {
  await using cloud = await ownedCloud(false);
  cloud.cloud.delays.account = 60_000;
  const accounts = "https://iam.googleapis.com/v1/projects/demo-fw/serviceAccounts";
  await cloud.ask(accounts, { as: member, body: { accountId: "shop-web", serviceAccount: {} } });
  const email = "shop-web@demo-fw.iam.gserviceaccount.com";
  expect((await cloud.ask(`${accounts}/${email}`, { as: member })).status).toBe(200);
  expect(await policyNaming(cloud, email)).toContain(`Service account ${email} does not exist.`);
  await cloud.clock.advance(60_000);
  expect(await policyNaming(cloud, email)).toContain("bindings");
});

test("domain mappings are for the project's basic roles: no role of Cloud Run has a permission for them", async () => {
  await using cloud = await testCloud({ start });
  const url = "https://run.googleapis.com/v1/projects/demo-fw/locations/europe-west1/domainmappings";
  const body = { metadata: { name: "shop.example.com", namespace: "demo-fw" }, spec: { routeName: "shop" } };
  const status = async (method: string): Promise<number> =>
    (await cloud.ask(url, { as: member, method, ...(method === "POST" && { body }) })).status;
  cloud.apis.domains.verify(member, "example.com");
  cloud.run({ name: "shop", serviceAccount: member, url: cloud.url, public: true });
  cloud.grant(`serviceAccount:${member}`, "roles/run.admin");
  expect(await status("GET")).toBe(403);
  cloud.grant(`serviceAccount:${member}`, "roles/viewer");
  expect([await status("GET"), await status("POST")]).toEqual([200, 403]);
  cloud.grant(`serviceAccount:${member}`, "roles/editor");
  expect(await status("POST")).toBe(200);
});

async function ownedCloud(newProject: boolean | "console"): Promise<TestCloud> {
  const cloud = await testCloud({ start, newProject });
  cloud.grant(`serviceAccount:${member}`, "roles/owner");
  return cloud;
}

/** Sets a project policy that names an account. Returns the text of the response. */
async function policyNaming(cloud: TestCloud, email: string): Promise<string> {
  const bindings = [{ role: "roles/pubsub.viewer", members: [`serviceAccount:${email}`] }];
  const owner = { role: "roles/owner", members: [`serviceAccount:${member}`] };
  const url = `https://cloudresourcemanager.googleapis.com/v3/projects/demo-fw:setIamPolicy`;
  const { text } = await cloud.ask(url, { as: member, body: { policy: { bindings: [...bindings, owner] } } });
  return text;
}
