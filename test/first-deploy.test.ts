import { readFileSync, realpathSync } from "node:fs";
import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Manifest } from "../packages/fw/src/build/manifest.ts";
import { deploy, type DeployResult } from "../packages/fw/src/deploy/deploy.ts";
import { desired } from "../packages/fw/src/deploy/desired/desired.ts";
import { preflight } from "../packages/fw/src/deploy/preflight/preflight.ts";
import type { DeployNeeds } from "../packages/fw/src/deploy/preflight/problem.ts";
import type { Resource } from "../packages/fw/src/deploy/resource.ts";
import { cloudQueries, queryProblems } from "../packages/fw/src/deploy/testing/cloud-metrics.ts";
import { testProject, type TestProject } from "../packages/fw/src/deploy/testing/project.ts";
import { undeclared } from "../packages/fw/src/deploy/testing/undeclared.ts";
import { silent } from "../packages/fw/src/cli/testing/run.ts";
import { withApplication } from "../packages/fw/src/cli/deploy/application.ts";
import { needsOf } from "../packages/fw/src/cli/deploy/needs.ts";
import { copyOfExample } from "./support/fw.ts";
import { withoutDomains } from "../packages/fw/src/cli/deploy/target.ts";

const examples = ["conduit", "handbook", "hello", "hub", "notes", "shop"];

/** The maximum number of additional calls in a first deploy, compared with a project that has all APIs enabled. */
const extraCalls = 200;

/** The roles of "Who deploys" in docs/deploy.md, except roles for domains. */
const documentedRoles = rolesIn(readFileSync(fileURLToPath(new URL("../docs/deploy.md", import.meta.url)), "utf8"));

test.each(examples)(
  "the first deploy of %s to a project with all APIs off takes one run",
  async (name) => {
    const example = await readExample(name);
    const [warm, ...cold] = [
      await firstDeploy(example, await projectFor(example, "warm")),
      await firstDeploy(example, await projectFor(example, true)),
      await firstDeploy(example, await projectFor(example, "console")),
    ];
    for (const { calls, ...outcome } of cold) {
      expect(outcome).toEqual({ problems: [], failures: [], result: "done" });
      expect(calls - (warm?.calls ?? 0)).toBeLessThan(extraCalls);
    }
  },
  120_000,
);

test.each(examples)("templates of %s contain no clear text but public configuration", async (name) => {
  const { manifest } = await readExample(name);
  const { place } = await testProject(1, { app: name });
  const templates = desired({ manifest, place, images: {} }).flatMap(({ spec }) => spec["template"] ?? []);
  const variables = JSON.stringify(templates).matchAll(/"name":"(\w+)","value":/g);
  const names = new Set([...variables].map(([, variable]) => variable));
  expect(names).toContain("FW_ENV");
  const location = ["FW_PROJECT", "FW_PROJECT_NUMBER", "FW_REGION"];
  for (const variable of names) expect(["FW_ENV", ...location, "FW_AUTH_APIKEY", "FW_AUTH_DOMAIN"]).toContain(variable);
});

test("the shop's dashboard and alerts query metrics and labels that Google publishes and the deploy declares", async () => {
  const { manifest } = await readExample("shop");
  const { place } = await testProject(1, { app: "shop" });
  const resources = desired({ manifest, place, images: {} });
  const queries = cloudQueries(resources).join("\n");
  for (const name of [
    "charges_declined",
    "queue_depth",
    "num_undelivered_messages",
    "instance_count",
    "request_ms_bucket",
  ])
    expect(queries).toContain(name);
  expect(queryProblems(resources)).toEqual([]);
});

interface Example {
  readonly name: string;
  readonly manifest: Manifest;
  readonly needs: DeployNeeds;
}

async function readExample(name: string): Promise<Example> {
  let example: Example | undefined;
  const directory = await copyOfExample(name);
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const io = { ...silent, cwd: directory, env: { PATH: process.env["PATH"] } };
  await withApplication(realpathSync(directory), io, async (checked) => {
    const manifest = withoutDomains(await checked.unbuilt(), { withoutDomains: true });
    example = { name, manifest, needs: needsOf(checked.app, manifest) };
    return 0;
  });
  return example ?? expect.fail(`examples/${name} has problems`);
}

/**
 * Creates a project where enabling an API takes time. Its deployer has only the documented roles. With "warm", all APIs
 * are already enabled.
 */
async function projectFor({ name, needs }: Example, state: true | "console" | "warm"): Promise<TestProject> {
  const newProject = state === "warm" ? true : state;
  const project = await testProject(1, { newProject, app: name, roles: documentedRoles });
  const { fake } = project;
  Object.assign(fake.cloud.delays, { enable: 20_000, spread: 30_000, agent: 5_000, account: 20_000 });
  const enable = (...apis: readonly string[]): void => {
    for (const api of apis) fake.cloud.switchedOn?.add(`${api}.googleapis.com`);
  };
  // A person has set up the secret and the social provider, including their APIs.
  if (needs.secrets.length > 0) enable("secretmanager");
  for (const secret of needs.secrets) fake.apis.secrets.set(`test-${secret.name}`, "https://example.com/hook");
  if (needs.social) enable("identitytoolkit");
  fake.apis.people.configuration.social = needs.social;
  if (state === "warm") for (const { host } of fake.apis.all) fake.cloud.switchedOn?.add(host);
  return project;
}

interface FirstDeploy {
  readonly problems: readonly string[];
  readonly failures: readonly string[];
  readonly result: DeployResult["result"];
  readonly calls: number;
}

async function firstDeploy({ manifest, needs }: Example, project: TestProject): Promise<FirstDeploy> {
  let calls = 0;
  const client: TestProject["client"] = {
    ...project.client,
    call: (request) => {
      calls += 1;
      return project.client.call(request);
    },
  };
  const problems = await preflight(needs, project.open(client), { who: "deployer", adopt: false });
  const images = Object.fromEntries(manifest.services.map(({ name }) => [name, `${name}@sha256:1`]));
  const resources = desired({ manifest, place: project.place, images });
  const { outcomes, result } = await deploy({
    cloud: project.open(client, imagesIn(resources)),
    desired: resources,
    options: {},
    version: undeclared,
    holder: "test",
    clock: project.clock,
    confirm: () => Promise.resolve(true),
  });
  return {
    problems: problems.flatMap(({ what, warns }) => (warns === true ? [] : [what])),
    failures: outcomes.flatMap(({ error }) => (error ? [error.message] : [])),
    result,
    calls,
  };
}

function imagesIn(resources: readonly Resource[]): readonly string[] {
  return resources.filter(({ kind }) => kind === "image").map(({ id }) => id);
}

function rolesIn(page: string): readonly string[] {
  const [, section = ""] = /^## Who deploys$([^]*?)(?=^## )/m.exec(page) ?? [];
  return [...section.matchAll(/`(\w+\.\w+)`/g)].map(([, role = ""]) => `roles/${role}`);
}
