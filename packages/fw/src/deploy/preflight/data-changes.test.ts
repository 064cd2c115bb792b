import { expect, test } from "vitest";
import { useAppBench } from "../../analysis/testing/app-bench.ts";
import { compareVersions } from "../../evolution/compare.ts";
import { recordedSchema } from "../../evolution/recorded.ts";
import type { App } from "../../model/app.ts";
import { CloudError } from "../../platform/gcp/rest/cloud-error.ts";
import type { CloudClient } from "../../platform/gcp/rest/client.ts";
import { desired } from "../desired/desired.ts";
import { destroy } from "../destroy.ts";
import { forgetVersions, liveVersionOf, type LiveVersion } from "../live-versions.ts";
import { rollBack, rollbackPlan, rollbackProblems } from "../rollback.ts";
import { deployOnce } from "../testing/deploys.ts";
import { shopProject, type TestProject } from "../testing/project.ts";
import { declaredStall } from "../testing/shop.ts";
import { checkDataChanges } from "./data-changes.ts";
import type { Deployer, DeployNeeds, Problem } from "./problem.ts";

const bench = useAppBench();

/** The declarations of a version, and the ones that its services use. */
interface Source {
  readonly text: string;
  readonly uses?: readonly string[];
}

const orders = (fields: string, rules = ""): Source => ({
  text: `export const orders = Entity<{ id: ID; ${fields} }>("orders"${rules});`,
  uses: ["entity orders"],
});

async function appOf({ text }: Source): Promise<App> {
  const head = `import { Entity, Queue, Worker, type ID, type Index } from "fw";`;
  const { app, diagnostics } = await bench.analyze(`-- shop/shop.ts --\n${head}\n${text}\n`);
  expect(diagnostics).toEqual([]);
  return app;
}

async function versionOf(source: Source): Promise<LiveVersion> {
  return { ...liveVersionOf(recordedSchema(await appOf(source)), { services: [] }), uses: source.uses ?? [] };
}

let deploys = 0;

/** Deploys a version whose images are new. */
async function deployed(project: TestProject, source: Source, client: Pick<CloudClient, "call"> = project.client) {
  const names = Object.entries(declaredStall.images).map(([name, image]) => [name, `${image}${deploys}`]);
  deploys++;
  const resources = desired({ ...declaredStall, images: Object.fromEntries(names) as Record<string, string> });
  return (await deployOnce(project, resources, { client, version: await versionOf(source) })).result;
}

/** Returns the problems of running a version next to the deployed one. */
async function problemsOf(
  { open }: TestProject,
  source: Source,
  options: Partial<Deployer> = {},
): Promise<readonly Problem[]> {
  const app = await appOf(source);
  const needs = { changesSince: (schema) => compareVersions(schema, app) } satisfies Partial<DeployNeeds>;
  return checkDataChanges(needs as unknown as DeployNeeds, open(), { who: "a test", adopt: false, ...options });
}

async function refusals(project: TestProject, source: Source): Promise<readonly string[]> {
  return (await problemsOf(project, source)).map(({ what }) => what);
}

const refusal =
  'the old version cannot read new documents of "orders" at note: `note: string` before, nothing now (fw/evolve-rollback)';

test("a field that the deployed version requires is dropped in two deploys, or in one if that is accepted", async () => {
  const project = await shopProject();
  const [first, optional, without] = [orders("note: string"), orders("note?: string"), orders("")];
  expect(await refusals(project, without)).toEqual([]);
  expect(await deployed(project, first)).toBe("done");
  const [problem, ...others] = await problemsOf(project, without);
  expect(others).toEqual([]);
  expect(problem).toEqual({
    what: refusal,
    at: "shop/shop.ts:2",
    todo: [
      expect.stringContaining("release twice: make note optional or give Entity { upgrade: { note: … } }") as string,
      "or accept the consequences with --accept-data-changes",
    ],
  });
  expect(await problemsOf(project, without, { acceptDataChanges: true })).toMatchObject([{ warns: true }]);
  expect(await refusals(project, optional)).toEqual([]);
  expect(await deployed(project, optional)).toBe("done");
  expect(await refusals(project, without)).toEqual([]);
});

test("a deployed version that reads new documents by a rule may run next to one that has dropped or renamed the field", async () => {
  const project = await shopProject();
  await deployed(project, orders("note: string", `, { renamed: { note: "text" } }`));
  const renamed = orders("text: string", `, { renamed: { text: "note" } }`);
  expect(await refusals(project, renamed)).toEqual([]);
  await deployed(project, orders("note: string"));
  expect(await refusals(project, renamed)).toEqual([refusal]);
});

test("an indexed field that a rule rewrites keeps a type that the deployed version reads, because both run meanwhile", async () => {
  const project = await shopProject();
  const toDate = `, { upgrade: { at: (old) => new Date(String(old["at"])) } }`;
  const [first, next] = [orders("at: Index<string>"), orders("at: Index<Date>", toDate)];
  await deployed(project, first);
  expect(await problemsOf(project, next)).toMatchObject([
    {
      what: 'the old version cannot read new documents of "orders" at at: `string` before, `Date` now (fw/evolve-rollback)',
      todo: [expect.stringContaining("release twice: a version that reads both types of at"), expect.anything()],
    },
  ]);
  expect(await refusals(project, orders("at: Date", toDate))).toEqual([]);
  await deployed(project, orders("at: Index<string>", `, { upgrade: { at: (old) => String(old["at"]) } }`));
  expect(await refusals(project, next)).toEqual([]);
});

test("documents and messages of the deployed version that the new one cannot read are refused, as fw check --against does", async () => {
  const project = await shopProject();
  const queue = (type: string): Source => ({
    text: `${orders("state: string").text}\nexport const emails = Queue<${type}>("emails");\nexport const send = Worker(emails, () => {});`,
  });
  await deployed(project, queue("{ to: string }"));
  const narrowed = queue("{ to: string; language: string }");
  const next = { text: narrowed.text.replace("state: string", `state: "open" | "paid"`) };
  expect(await refusals(project, next)).toEqual([
    'documents of "orders" do not fit the new type at state: `string` before, `"open" | "paid"` now (fw/evolve-document)',
    'waiting messages of the queue "emails" do not fit the new type at language: nothing before, `language: string` now (fw/evolve-message)',
  ]);
});

test("an entity is removed once no service of the deployed version uses it", async () => {
  const project = await shopProject();
  const none = { text: "" };
  await deployed(project, orders("note: string"));
  expect(await problemsOf(project, none)).toMatchObject([
    {
      what: 'Entity("orders") is gone: its documents stay, and no code reads them: `Entity("orders")` before, nothing now (fw/evolve-removed)',
      todo: [
        expect.stringContaining("keep the declaration"),
        "the deployed version still uses it, or messages wait: first deploy a version that no longer uses it",
        expect.stringContaining("--accept-data-changes"),
      ],
    },
  ]);
  await deployed(project, { ...orders("note: string"), uses: [] });
  expect(await refusals(project, none)).toEqual([]);
});

test("a queue is removed once its last message is handled", async () => {
  const project = await shopProject();
  await deployed(project, {
    text: `export const emails = Queue<string>("emails");\nexport const send = Worker(emails, () => {});`,
  });
  expect(await refusals(project, { text: "" })).toEqual([]);
  const queue = "projects/demo-fw/locations/europe-west1/queues/shop-test-emails";
  const scheduleTime = new Date(project.fake.clock.now() + 3_600_000).toISOString();
  await project.client.call({
    api: "cloudtasks",
    method: "POST",
    path: `/v2/${queue}/tasks`,
    body: { task: { scheduleTime, httpRequest: { url: "https://example.com/" } } },
  });
  expect(await refusals(project, { text: "" })).toEqual([expect.stringContaining("waiting messages stay")]);
});

test("a deploy that ends before it moves traffic leaves nothing to compare with, and one that ends later does", async () => {
  const project = await shopProject();
  const [first, second] = [orders("note: string"), orders("note?: string")];
  await deployed(project, first);
  expect(await deployed(project, second, refusing(project.client, "template"))).toBe("failed");
  expect(await refusals(project, first)).toEqual([]);
  expect(await deployed(project, second, refusing(project.client, "traffic"))).toBe("failed");
  const misfit = [
    expect.stringContaining("do not fit the new type at note: `note?: string` before, `note: string` now"),
  ];
  expect(await refusals(project, first)).toEqual(misfit);
  expect(await deployed(project, second)).toBe("done");
  expect(await refusals(project, first)).toEqual(misfit);
});

test("after a rollback a deploy is compared with the version that serves again", async () => {
  const project = await shopProject();
  const [first, second] = [orders("note: string"), orders("note?: string")];
  await deployed(project, first);
  await deployed(project, second);
  expect(await refusals(project, orders(""))).toEqual([]);
  await rollBack(await rollbackPlan(project.open()), project.open());
  expect(await refusals(project, orders(""))).toEqual([refusal]);
  await rollBack(await rollbackPlan(project.open()), project.open());
  expect(await refusals(project, orders(""))).toEqual([]);
});

test("a rollback to a version that cannot read what the running one writes is refused, or a warning if that is accepted", async () => {
  const project = await shopProject();
  const [first, optional, without] = [orders("note: string"), orders("note?: string"), orders("")];
  await deployed(project, first);
  await deployed(project, optional);
  expect(await rollbackProblems(project.open(), false)).toEqual([
    {
      what: refusal.replace("nothing now", "`note?: string` now"),
      todo: ["requests that read such data fail with 500, and such messages wait"],
      warns: true,
    },
  ]);
  await deployed(project, without);
  expect(await rollbackProblems(project.open(), false)).toEqual([]);
  await deployed(project, first);
  await deployed(project, without);
  const blocked = {
    what: refusal,
    todo: ["deploy a version that reads both instead", "or accept the consequences with --accept-data-changes"],
  };
  expect(await rollbackProblems(project.open(), false)).toEqual([blocked]);
  expect(await rollbackProblems(project.open(), true)).toEqual([{ ...blocked, warns: true }]);
  await rollBack(await rollbackPlan(project.open()), project.open());
  expect(await rollbackProblems(project.open(), false)).toEqual([]);
});

test("the first deploy after a version of fw that recorded no types asks for a decision, once", async () => {
  const project = await shopProject();
  const first = orders("note: string");
  await deployed(project, first);
  await forgetVersions(project.open());
  expect(await refusals(project, first)).toEqual([
    expect.stringContaining("the running version was deployed with an older fw, which recorded no types"),
  ]);
  expect(await problemsOf(project, first, { acceptDataChanges: true })).toMatchObject([{ warns: true }]);
  await deployed(project, first);
  expect(await refusals(project, first)).toEqual([]);
  expect(await rollbackProblems(project.open(), false)).toMatchObject([
    { what: expect.stringContaining("another version of fw") as string, warns: true },
  ]);
});

test("a version that differs in its data only is recorded, and a destroy with its data forgets it", async () => {
  const project = await shopProject();
  await deployed(project, orders("note: string"));
  deploys--;
  expect(await deployed(project, orders("note?: string"))).toBe("done");
  deploys--;
  expect(await deployed(project, orders("note?: string"))).toBe("unchanged");
  expect(await refusals(project, orders(""))).toEqual([]);
  expect(await refusals(project, orders("note: string"))).toHaveLength(1);
  await destroy({
    cloud: project.open(),
    data: true,
    holder: "a test",
    clock: project.clock,
    confirm: () => Promise.resolve(true),
  });
  expect(await refusals(project, orders("note: string"))).toEqual([]);
});

/** Returns a client that refuses to update one field of the service `web`. */
function refusing(client: Pick<CloudClient, "call">, field: "template" | "traffic"): Pick<CloudClient, "call"> {
  return {
    call: (request) => {
      const mask = String(request.query?.["updateMask"] ?? "");
      const isRefused =
        request.path.endsWith("/shop-test-web") && mask.split(",").some((each) => each.startsWith(field));
      if (!isRefused) return client.call(request);
      return Promise.reject(new CloudError("refused", { status: 400, code: "INVALID_ARGUMENT", unknownEffect: false }));
    },
  };
}
