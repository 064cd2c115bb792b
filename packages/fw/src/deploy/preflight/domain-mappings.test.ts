import { expect, test } from "vitest";
import { testProject, type TestProject } from "../testing/project.ts";
import { checkDomains } from "./domain-mappings.ts";
import { deployer, noNeeds } from "../testing/needs.ts";
import { problemLines } from "../testing/problem-lines.ts";
import type { Problem } from "./problem.ts";

const at = "web/web.ts:4";

test("every reason against mapping a domain is reported before the build, with what to do", async () => {
  const project = await testProject();
  await switchedOn(project);
  const { fake, open } = project;
  fake.run({ name: "blog", serviceAccount: "a@demo-fw.iam.gserviceaccount.com", url: fake.url, public: true });
  await mapped(project, "europe-west1", "blog.example.com");
  await mapped(project, "us-east1", "old.example.com");
  fake.apis.domains.mappedElsewhere.add("theirs.example.com");
  const names = ["blog.example.com", "old.example.com", "theirs.example.com", "shop.example.org"];
  const domains = names.map((domain) => ({ domain, service: "web", at }));
  const problems: Problem[] = [...(await checkDomains({ ...noNeeds, domains }, open(), deployer))];
  const away = project.open();
  Object.assign(away, { place: { ...project.place, region: "europe-west3" } });
  problems.push(...(await checkDomains({ ...noNeeds, domains: domains.slice(0, 1) }, away, deployer)));
  await expect(problemLines(problems)).toMatchFileSnapshot("../testing/golden/domain-refusals.txt");
});

test("a domain that is verified, or below one that is, can be mapped, and is not mapped by the look", async () => {
  const project = await testProject();
  await switchedOn(project);
  const domains = [{ domain: "shop.example.com", service: "web", at }];
  expect(await checkDomains({ ...noNeeds, domains }, project.open(), deployer)).toEqual([]);
  const path = "/v1/projects/demo-fw/locations/europe-west1/domainmappings/shop.example.com";
  expect(await project.open().find({ api: "run", method: "GET", path })).toBeUndefined();
});

test("a domain that only ends like one that is verified is somebody else's", async () => {
  const project = await testProject();
  await switchedOn(project);
  const domains = ["evilexample.com", "example.com.evil.org"].map((domain) => ({ domain, service: "web", at }));
  expect(await checkDomains({ ...noNeeds, domains }, project.open(), deployer)).toMatchObject([
    { what: "the domain evilexample.com is not verified for the deploying account" },
    { what: "the domain example.com.evil.org is not verified for the deploying account" },
  ]);
});

test("an account that may not see domain mappings needs the role of an editor, for domains only", async () => {
  const project = await testProject(1, { roles: ["roles/run.admin"] });
  const domains = [{ domain: "shop.example.com", service: "web", at }];
  const [problem] = await checkDomains({ ...noNeeds, domains }, project.open(), deployer);
  expect(problem?.what).toContain("your account has no access to the domain mappings of demo-fw");
  expect(problem?.todo.join("\n")).toContain("--role roles/editor");
  expect(await checkDomains(noNeeds, project.open(), deployer)).toEqual([]);
});

test("a domain that another service has is moved only where that is asked for", async () => {
  const project = await testProject();
  await switchedOn(project);
  const { fake } = project;
  fake.run({ name: "blog", serviceAccount: "a@demo-fw.iam.gserviceaccount.com", url: fake.url, public: true });
  await mapped(project, "europe-west1", "shop.example.com");
  const domains = [{ domain: "shop.example.com", service: "web", at }];
  expect(await checkDomains({ ...noNeeds, domains }, project.open(), { ...deployer, adopt: true })).toEqual([]);
  expect(await checkDomains({ ...noNeeds, domains }, project.open(), deployer)).toMatchObject([
    { what: "409: the domain shop.example.com is already mapped to blog in europe-west1", at },
  ]);
});

async function switchedOn({ open }: TestProject): Promise<void> {
  const cloud = open();
  const path = "/v1/projects/demo-fw/services/run.googleapis.com:enable";
  const operation = await cloud.call({ api: "serviceusage", method: "POST", path, body: {} });
  await cloud.waitForOperation(operation, "serviceusage");
}

async function mapped({ open }: TestProject, region: string, name: string): Promise<void> {
  const body = { metadata: { name, namespace: "demo-fw" }, spec: { routeName: "blog" } };
  const path = `/v1/projects/demo-fw/locations/${region}/domainmappings`;
  await open().call({ api: "run", method: "POST", path, body });
}
