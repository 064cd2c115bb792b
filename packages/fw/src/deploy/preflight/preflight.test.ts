import { expect, test } from "vitest";
import { compositeIndexes } from "../../lib/limits.ts";
import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import { desired } from "../desired/desired.ts";
import type { Resource } from "../resource.ts";
import { declaredShop } from "../testing/shop.ts";
import { deployer, noNeeds } from "../testing/needs.ts";
import { problemLines } from "../testing/problem-lines.ts";
import { testProject } from "../testing/project.ts";
import { findProject } from "./project.ts";
import { preflight } from "./preflight.ts";
import type { Problem } from "./problem.ts";

test("nothing stands in the way of an application that needs nothing", async () => {
  const { open } = await testProject();
  expect(await preflight(noNeeds, open(), deployer)).toEqual([]);
});

test("a deploy reports every blocker at once, each with what to do", async () => {
  const { fake, client, open } = await testProject();
  fake.cloud.policies.revoke(
    "serviceAccount:deployer@demo-fw.iam.gserviceaccount.com",
    "roles/owner",
    "//cloudresourcemanager.googleapis.com/projects/demo-fw",
  );
  for (const role of [
    "roles/secretmanager.viewer",
    "roles/firebaseauth.viewer",
    "roles/datastore.owner",
    "roles/pubsub.admin",
  ])
    fake.grant("serviceAccount:deployer@demo-fw.iam.gserviceaccount.com", role);
  fake.apis.secrets.set("test-OLD_KEY", "value");
  const indexes = Array.from({ length: compositeIndexes + 1 }, (_, at) => ({
    entity: at % 3 === 0 ? "orders" : "visits",
    fields: `field${at} asc, at desc`,
  }));
  const secrets = ["MAIL_KEY", "OLD_KEY"].map((name, line) => ({ name, at: `web/mail.ts:${line + 3}` }));
  const resources = (): readonly Resource[] => desired(declaredShop);
  const needs = { ...noNeeds, secrets, social: true, indexes, keepsDocuments: true, resources };
  const problems = await preflight(needs, open(), deployer);
  const missing = await findProject("another-project", client);
  const all = problemLines([...problems, missing as Problem]);
  await expect(all).toMatchFileSnapshot("../testing/golden/refusals.txt");
});

test("an application asks for the rights to what it uses, and for no others", async () => {
  const { open } = await testProject(1, { roles: ["roles/browser"] });
  const [desk] = declaredShop.manifest.services;
  const nothing = { entities: [], buckets: [], queues: [], topics: [], jobs: [] };
  const observed = { counters: [], histograms: [], channels: [], alerts: [] };
  const { signIn: _, ...manifest } = declaredShop.manifest;
  const small = { ...manifest, services: desk ? [desk] : [], resources: { ...nothing, ...observed } };
  const resources = (): readonly Resource[] => desired({ ...declaredShop, manifest: small });
  const [problem] = await preflight({ ...noNeeds, resources }, open(), deployer);
  const roles = problem?.todo.slice(1).map((line) => line.replace(/.*roles\//, ""));
  expect(roles?.toSorted()).toEqual([
    "artifactregistry.admin",
    "iam.serviceAccountAdmin",
    "iam.serviceAccountUser",
    "monitoring.editor",
    "resourcemanager.projectIamAdmin",
    "run.admin",
    "serviceusage.serviceUsageAdmin",
    "storage.admin",
  ]);
});

test("as many composite indexes as a database has at most are declared without a problem", async () => {
  const { open } = await testProject();
  const indexes = Array.from({ length: compositeIndexes }, (_, at) => ({ entity: "orders", fields: `field${at} asc` }));
  expect(await preflight({ ...noNeeds, indexes, keepsDocuments: true }, open(), deployer)).toEqual([]);
});

test("the social provider is enabled by hand, which a deploy says how to do, and goes on when it is done", async () => {
  const { fake, open } = await testProject();
  const needs = { ...noNeeds, social: true };
  expect(await preflight(needs, open(), deployer)).toMatchObject([{ manual: true }]);
  fake.apis.people.configuration.social = true;
  expect(await preflight(needs, open(), deployer)).toEqual([]);
});

test("a project that nobody pays for, a region that is none, what the organisation forbids, and what is somebody else's are told", async () => {
  const project = await testProject();
  const { fake, client, place } = project;
  fake.apis.billing.enabled = false;
  fake.apis.services.requiresInvokerIam = true;
  const own = project.open();
  await own.call({ api: "pubsub", method: "PUT", path: "/v1/projects/demo-fw/topics/shop-test-placed", body: {} });
  const creation = await own.call({
    api: "firestore",
    method: "POST",
    path: "/v1/projects/demo-fw/databases",
    query: { databaseId: "shop-test" },
    body: { type: "FIRESTORE_NATIVE", locationId: "europe-west1" },
  });
  await own.waitForOperation(creation, "firestore");
  const takenNames: Pick<CloudClient, "call"> = {
    call: (request) =>
      request.path === "/storage/v1/b/demo-fw-shop-test-photos" ? Promise.reject(forbidden) : client.call(request),
  };
  const resources = (): readonly Resource[] => desired(declaredShop);
  const preflightProblems = await preflight(
    { ...noNeeds, isPublic: true, resources },
    project.open(takenNames),
    deployer,
  );
  const elsewhere = project.open();
  Object.assign(elsewhere, { place: { ...place, region: "europe-west99" } });
  const away = await preflight(noNeeds, elsewhere, deployer);
  const tooLong = await preflight({ ...noNeeds, resources: () => "the name of the bucket is too long" }, own, deployer);
  const told = new Set([...preflightProblems, ...away, ...tooLong].map((problem) => problemLines([problem])));
  await expect([...told].join("\n")).toMatchFileSnapshot("../testing/golden/project-refusals.txt");
  expect(preflightProblems.every(({ warns }) => warns !== true)).toBe(true);
});

test("many service accounts are a warning, since nobody sees what a project may have", async () => {
  const { open } = await testProject();
  const account = (at: number): Resource => ({
    kind: "service-account",
    id: `projects/demo-fw/serviceAccounts/shop-test-s${at}@demo-fw.iam.gserviceaccount.com`,
    spec: {},
    deps: [],
    owns: "all",
    title: "",
  });
  const resources = (count: number) => (): readonly Resource[] => Array.from({ length: count }, (_, at) => account(at));
  expect(await preflight({ ...noNeeds, resources: resources(80) }, open(), deployer)).toEqual([]);
  expect(await preflight({ ...noNeeds, resources: resources(81) }, open(), deployer)).toMatchObject([
    {
      what: "the project would have 81 service accounts; Google's default quota is 100",
      warns: true,
    },
  ]);
});

test("a project in which hardly any API is on is deployed to, but for a domain, whose owner could not be asked for", async () => {
  const project = await testProject(1, { newProject: true });
  const domains = [{ domain: "shop.example.com", service: "web", at: "web/web.ts:4" }];
  const resources = (): readonly Resource[] => desired(declaredShop);
  const problems = await preflight({ ...noNeeds, isPublic: true, resources, domains }, project.open(), deployer);
  expect(problems.map(({ what, warns }) => [warns === true, what.replace(/ \(.*/, "")])).toEqual([
    [true, "cannot check whether the project demo-fw has a billing account"],
    [false, "cannot ask Cloud Run for the verified domains"],
  ]);
});

test("a project that cannot be told which APIs it needs is refused", async () => {
  const { fake, open } = await testProject(1, { newProject: true });
  fake.cloud.switchedOn?.delete("serviceusage.googleapis.com");
  const problems = await preflight(noNeeds, open(), deployer);
  expect(problems.filter(({ warns }) => warns !== true)).toMatchObject([
    {
      what: "fw cannot enable APIs in the project demo-fw: its Service Usage API is disabled",
      todo: ["enable it: gcloud services enable serviceusage.googleapis.com --project demo-fw"],
    },
  ]);
});

const forbidden = new CloudError("GET storage/storage/v1/b/demo-fw-shop-test-photos: 403 PERMISSION_DENIED", {
  status: 403,
  code: "PERMISSION_DENIED",
  unknownEffect: false,
});
