import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { imageOf } from "../../../fw/src/deploy/image/image.ts";
import { linkedBase } from "../../../fw/src/deploy/image/testing/base.ts";
import { member, project, testCloud, type Answer } from "../testing/client.ts";

const api = "https://run.googleapis.com/v2/projects/demo-fw/locations/europe-west1";
const deployer = "deployer@demo-fw.iam.gserviceaccount.com";

// A service that responds with its environment, its working directory and its process id; at `/account`, also with its
// account according to the metadata server. As a job, it logs its task's number, its arguments and its account, and
// exits.
const server = `
import { createServer } from "node:http";
if (process.env.FAIL) process.exit(1);
console.log(JSON.stringify({ severity: "INFO", message: "started" }));
const account = async () => {
  const url = "http://" + process.env.GCE_METADATA_HOST + "/computeMetadata/v1/instance/service-accounts/default/email";
  return (await fetch(url, { headers: { "metadata-flavor": "Google" } })).text();
};
if (process.env.CLOUD_RUN_JOB) {
  console.log("task " + process.env.CLOUD_RUN_TASK_INDEX + " " + process.argv.slice(2) + " " + (await account()));
  process.exit(Number(process.argv[2] ?? 0));
}
// Exits before it can be seen listening.
process.on("SIGTERM", () => { console.log("ending"); process.exit(0); });
createServer(async (request, response) => {
  if (request.url === "/end") process.exit(3);
  const { K_SERVICE, K_REVISION, TEXT, KEY } = process.env;
  response.end(JSON.stringify({ K_SERVICE, K_REVISION, TEXT, KEY, cwd: process.cwd().split("/").at(-1), account: request.url === "/account" ? await account() : "", pid: process.pid }));
}).listen(process.env.PORT);
`;

interface Echo {
  readonly K_SERVICE: string;
  readonly K_REVISION: string;
  readonly TEXT?: string;
  readonly KEY?: string;
  readonly cwd: string;
  readonly account: string;
  readonly pid: number;
}

interface ServiceJson {
  readonly etag: string;
  readonly uri: string;
  readonly latestReadyRevision: string;
  readonly latestCreatedRevision: string;
  readonly trafficStatuses: readonly { readonly revision: string; readonly percent: number }[];
  readonly terminalCondition: { readonly state: string; readonly message?: string; readonly reason?: string };
}

interface OperationJson {
  readonly name: string;
  readonly done: boolean;
  readonly error?: { readonly code: number; readonly message: string };
  readonly response?: ServiceJson;
}

let cloud: Awaited<ReturnType<typeof testCloud>>;
let image: string;

beforeAll(async () => {
  cloud = await testCloud({});
  const directory = mkdtempSync(join(tmpdir(), "fw-run-"));
  writeFileSync(join(directory, "main.mjs"), server);
  const built = await imageOf(directory, await linkedBase(), {
    command: ["/app/main.mjs"],
    env: { TEXT: "image" },
    user: "65532",
  });
  const blobs = await Promise.all(built.layers.map((layer) => buffer(layer.open())));
  image = cloud.apis.registry.publish("gcr.io/demo/app", built.manifest, [built.config, ...blobs]);
  rmSync(directory, { recursive: true });
  cloud.grant(`serviceAccount:${deployer}`, "roles/run.admin", project);
  cloud.grant(`serviceAccount:${deployer}`, "roles/iam.serviceAccountUser", project);
});
afterAll(() => cloud.stop());

const template = (more: object = {}, container: object = {}): object => ({
  serviceAccount: member,
  containers: [{ image, ...container }],
  ...more,
});

async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  return cloud.ask(`${api}/${path}`, { method, as: deployer, ...(body !== undefined && { body }) });
}

async function over(answer: Answer): Promise<OperationJson> {
  const { name } = answer.json as OperationJson;
  const waited = await cloud.ask(`https://run.googleapis.com/v2/${name}:wait`, { as: deployer, body: {} });
  return waited.json;
}

const create = async (name: string, settings: object = {}): Promise<OperationJson> =>
  over(
    await ask("POST", `services?serviceId=${name}`, { invokerIamDisabled: true, template: template(), ...settings }),
  );
const patch = async (name: string, settings: object, mask = Object.keys(settings).join(",")): Promise<OperationJson> =>
  over(await ask("PATCH", `services/${name}?updateMask=${mask}`, settings));
const get = async (name: string): Promise<ServiceJson> => (await ask("GET", `services/${name}`)).json;
const url = (name: string): string => `https://${name}-123456789012.europe-west1.run.app`;
const echoOf = async (name: string, path = ""): Promise<Echo> =>
  JSON.parse((await cloud.ask(url(name) + path)).text) as Echo;
const short = (revision: string): string => revision.split("/").at(-1) ?? "";

describe("a service that is made from an image", () => {
  test("answers from what the image has, as its account, when its operation is over", async () => {
    const creation = await ask("POST", "services?serviceId=shop", {
      invokerIamDisabled: true,
      template: template({}, { env: [{ name: "TEXT", value: "given" }] }),
    });
    expect(creation.json).toMatchObject({ done: false, metadata: { reconciling: true } });
    const { response } = await over(creation);
    expect(response).toMatchObject({ uri: url("shop"), terminalCondition: { state: "CONDITION_SUCCEEDED" } });
    const revision = short(response?.latestReadyRevision ?? "");
    expect(revision).toMatch(/^shop-00001-[a-z]{3}$/);
    const expected = { K_SERVICE: "shop", K_REVISION: revision, TEXT: "given", cwd: "app", account: member };
    expect(await echoOf("shop", "/account")).toMatchObject(expected);
    expect((await get("shop")).trafficStatuses).toMatchObject([{ revision, percent: 100 }]);
    const lines = cloud.apis.logging.entries.filter(({ resource }) => resource?.labels?.["revision_name"] === revision);
    expect(lines).toMatchObject([{ severity: "INFO", jsonPayload: { message: "started" } }]);
  });

  test("keeps its revision while a new one is tried, and gets the traffic of a name when it is told to", async () => {
    await create("two");
    const before = await get("two");
    const old = short(before.latestReadyRevision);
    const pinned = [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_REVISION", revision: old, percent: 100 }];
    await patch("two", { traffic: pinned, template: template({}, { env: [{ name: "TEXT", value: "2" }] }) });
    const after = await get("two");
    expect(after.latestCreatedRevision).toBe(after.latestReadyRevision);
    expect([after.latestReadyRevision === before.latestReadyRevision, (await echoOf("two")).TEXT]).toEqual([
      false,
      "image",
    ]);
    const fresh = short(after.latestReadyRevision);
    await patch("two", {
      traffic: [
        { revision: fresh, percent: 60 },
        { revision: old, percent: 40 },
      ],
    });
    const answers = await Promise.all(Array.from({ length: 100 }, () => echoOf("two")));
    expect(answers.filter(({ K_REVISION }) => K_REVISION === fresh)).toHaveLength(60);
    await patch("two", { traffic: [{ revision: fresh, percent: 100 }] });
    expect((await echoOf("two")).TEXT).toBe("2");
    const { json } = await ask("GET", "services/two/revisions");
    expect((json as { revisions: { name: string }[] }).revisions.map(({ name }) => short(name))).toEqual([fresh, old]);
  });

  test("makes no revision where the template is the same", async () => {
    await create("same");
    const before = await get("same");
    await patch("same", { labels: { a: "b" }, template: template() });
    expect((await get("same")).latestCreatedRevision).toBe(before.latestCreatedRevision);
  });

  test("that ends by itself is started again with the next request, and at once where one has to be there", async () => {
    await create("ends");
    const { pid } = await echoOf("ends");
    expect((await cloud.ask(`${url("ends")}/end`)).status).toBe(503);
    await expect.poll(() => cloud.apis.containers.pids.includes(pid)).toBe(false);
    expect((await echoOf("ends")).pid).not.toBe(pid);
    await patch("ends", { scaling: { minInstanceCount: 1 } });
    const kept = (await echoOf("ends")).pid;
    await cloud.ask(`${url("ends")}/end`);
    await expect.poll(() => cloud.apis.containers.pids.includes(kept)).toBe(false);
    await expect.poll(async () => (await echoOf("ends")).pid).not.toBe(kept);
  });

  test("is stopped with SIGTERM when it is deleted", async () => {
    await create("gone");
    const before = cloud.apis.containers.output.length;
    await over(await ask("DELETE", "services/gone"));
    expect(cloud.apis.containers.output.slice(before)).toContain("ending");
    expect([(await ask("GET", "services/gone")).status, (await cloud.ask(url("gone"))).status]).toEqual([404, 404]);
  });
});

describe("what cannot be served is told in Cloud Run's words, and what is served goes on", () => {
  const failures: readonly [string, object, string][] = [
    ["an image that is not there", { image: "gcr.io/demo/none:1" }, "Image 'gcr.io/demo/none:1' not found."],
    [
      "a process that ends",
      { env: [{ name: "FAIL", value: "1" }] },
      "The user-provided container failed to start and listen on the port defined provided by the PORT=8080 environment variable",
    ],
    [
      "a secret that the account may not read",
      { env: [{ name: "KEY", valueSource: { secretKeyRef: { secret: "key", version: "latest" } } }] },
      "Permission denied on secret: projects/123456789012/secrets/key/versions/latest for Revision service account app@demo-fw",
    ],
  ];
  test.each(failures)("%s", async (_, container, sentence) => {
    const name = `fails-${failures.findIndex(([, each]) => each === container)}`;
    const { error } = await create(name, { template: template({}, container) });
    expect(error?.message).toMatch(/^Revision 'fails-\d-00001-[a-z]{3}' is not ready and cannot serve traffic\. /);
    expect(error?.message).toContain(sentence);
    expect((await get(name)).terminalCondition).toMatchObject({ state: "CONDITION_FAILED", message: error?.message });
    await patch(name, { template: template() });
    expect((await echoOf(name)).TEXT).toBe("image");
    await patch(name, { template: template({}, container) });
    expect((await echoOf(name)).TEXT).toBe("image");
  });

  test("a secret is the account's to read when it is granted", async () => {
    cloud.apis.secrets.set("granted", "s3cret");
    cloud.grant(
      `serviceAccount:${member}`,
      "roles/secretmanager.secretAccessor",
      "//secretmanager.googleapis.com/projects/demo-fw/secrets/granted",
    );
    const env = [{ name: "KEY", valueSource: { secretKeyRef: { secret: "granted", version: "latest" } } }];
    await create("keyed", { template: template({}, { env }) });
    expect((await echoOf("keyed")).KEY).toBe("s3cret");
  });

  test("a wrong call is refused, and changes nothing", async () => {
    await create("checked");
    const before = await get("checked");
    const wrong: [number, string, string, object][] = [
      [400, "services?serviceId=Upper", "service_id", { template: template() }],
      [409, "services?serviceId=checked", "already exists", { template: template() }],
      [400, "services?serviceId=none", "At least one container", { template: { containers: [] } }],
      [
        400,
        "services?serviceId=port",
        "reserved env names were provided: PORT",
        { template: template({}, { env: [{ name: "PORT", value: "1" }] }) },
      ],
      [
        400,
        "services?serviceId=part",
        "Traffic targets sum to 90, want 100",
        { template: template(), traffic: [{ percent: 90 }] },
      ],
    ];
    for (const [status, path, text, body] of wrong) {
      const answer = await ask("POST", path, body);
      expect([answer.status, answer.text.includes(text)], answer.text).toEqual([status, true]);
    }
    const stale = await ask("PATCH", "services/checked?updateMask=labels", { etag: '"old"', labels: {} });
    expect([stale.status, stale.text.includes("Conflict for resource 'checked'")]).toEqual([409, true]);
    const pinnedTemplate = { template: template({ revision: short(before.latestReadyRevision) }, { args: ["1"] }) };
    expect((await ask("PATCH", "services/checked?updateMask=template", pinnedTemplate)).text).toContain(
      "with different configuration already exists",
    );
    const trial = await ask("PATCH", "services/checked?updateMask=labels&validateOnly=true", { labels: { a: "b" } });
    expect(trial.json).toMatchObject({ done: true });
    expect(
      (await cloud.ask(`${api}/services?serviceId=eve`, { as: member, body: { template: template() } })).status,
    ).toBe(403);
    expect((await get("checked")).etag).toBe(before.etag);
  });
});

test("a job's tasks are containers, with the arguments that a run is given", async () => {
  const settings = {
    template: { taskCount: 2, template: { maxRetries: 1, serviceAccount: member, containers: [{ image }] } },
  };
  expect((await ask("POST", "jobs?jobId=rebuild", settings)).status).toBe(200);
  const from = cloud.apis.containers.output.length;
  expect(await over(await ask("POST", "jobs/rebuild:run", {}))).toMatchObject({ response: { succeededCount: 2 } });
  const lines = cloud.apis.containers.output
    .slice(from)
    .split("\n")
    .filter((line) => line.startsWith("task"));
  expect(lines.toSorted()).toEqual([`task 0  ${member}`, `task 1  ${member}`]);
  const failing = { overrides: { taskCount: 1, containerOverrides: [{ args: ["/app/main.mjs", "7"] }] } };
  const { error } = await over(await ask("POST", "jobs/rebuild:run", failing));
  expect(error?.message).toMatch(/^Task failed for execution rebuild-/);
  expect((await ask("GET", "jobs/rebuild")).json).toMatchObject({ executionCount: 2, template: { taskCount: 2 } });
});

test("a domain leads to a service when its owner is known and its certificate is there", async () => {
  await create("mapped");
  cloud.grant(`serviceAccount:${deployer}`, "roles/editor");
  const v1 = "https://run.googleapis.com/v1/projects/demo-fw/locations/europe-west1/domainmappings";
  const body = { metadata: { name: "shop.example.com", namespace: "demo-fw" }, spec: { routeName: "mapped" } };
  const map = async (more = ""): Promise<Answer> => cloud.ask(v1 + more, { as: deployer, body });
  expect(await map()).toMatchObject({ status: 403 });
  cloud.apis.domains.verify(deployer, "example.com");
  expect(await map("?dryRun=all")).toMatchObject({ status: 200 });
  const { json } = await map();
  expect(json).toMatchObject({
    status: {
      resourceRecords: [{ type: "CNAME", rrdata: "ghs.googlehosted.com." }],
      conditions: [{ type: "Ready", status: "Unknown", reason: "CertificatePending" }, {}, {}],
    },
  });
  expect((await map()).status).toBe(409);
  const ready = async (): Promise<unknown> => {
    const { json } = await cloud.ask(`${v1}/shop.example.com`, { as: deployer });
    return (json as { status: { conditions: { status: string }[] } }).status.conditions[0]?.status;
  };
  cloud.apis.zone.set("shop.example.com", { type: "CNAME", data: "ghs.googlehosted.com" });
  await cloud.clock.advance(14 * 60_000);
  expect(await ready()).toBe("Unknown");
  await cloud.clock.advance(60_000);
  expect(await ready()).toBe("True");
});

test("where nothing is started, a service is ready without an image", async () => {
  await using bare = await testCloud({ containers: false });
  bare.grant(`serviceAccount:${deployer}`, "roles/owner", project);
  const body = { template: { containers: [{ image: "gcr.io/none/none" }] } };
  const { json } = await bare.ask(`${api}/services?serviceId=a`, { as: deployer, body });
  const { name } = json as OperationJson;
  const waited = await bare.ask(`https://run.googleapis.com/v2/${name}:wait`, { as: deployer, body: {} });
  expect(waited.json).toMatchObject({ done: true, response: { terminalCondition: { state: "CONDITION_SUCCEEDED" } } });
});

test("nothing comes to run once the cloud has ended, of what is starting either", async () => {
  const { containers } = cloud.apis;
  const spec = { template: { image }, account: member, env: {}, resource: { type: "cloud_run_revision", labels: {} } };
  const starting = containers.start(spec);
  await Promise.all([
    containers.close(),
    expect(starting).rejects.toThrow("The cloud has been stopped."),
    expect(containers.start(spec)).rejects.toThrow("The cloud has been stopped."),
  ]);
  expect(containers.pids).toEqual([]);
});
