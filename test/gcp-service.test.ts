import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startFakeCloud, type FakeCloud } from "../packages/fake-cloud/src/index.ts";
import { serviceAccountEmail, serviceName, serviceUrl } from "../packages/fw/src/platform/gcp/names.ts";
import { build, startService, type RunningService } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { askCloud } from "./support/ask-cloud.ts";

// A public service that stores data and calls a private one, a service with forms that stores data, and one with forms
// that does not.
const files = {
  "web/web.ts": `import { API, Counter, Entity, Job, Runner, Secret, Singleton, type ID, type Path } from "fw";
import { weigh } from "../scale/scale.ts";
export const key = Secret("WEB_KEY");
export const asked = Counter("asked");
export const weight = API("GET /weight/{of}", async (ctx, { of }: { of: Path }) => {
  asked.add(ctx, 1);
  ctx.log.info("asked", { of });
  return { grams: (await weigh.call(ctx, { of })).grams, key: key.value().length };
});
export const parcels = Entity<{ id: ID; of: string }>("parcels");
export const take = API("POST /parcels/{of}", (ctx, { of }: { of: Path }) => parcels.create(ctx, { of }));
export const parcel = API("GET /parcels/{id}", (ctx, { id }: { id: Path }) => parcels.get(ctx, id));
export const search = API("GET /search/{id}", async (ctx, { id }: { id: Path }) => {
  try {
    return await parcels.get(ctx, id);
  } catch (error) {
    ctx.log.info("gave up", { id, why: (error as Error).name });
    throw error;
  }
});
export const recount = Job<{ of: string }>("recount");
export const recountAll = Runner(recount, async (ctx, { of }) => {
  if (of === "nothing") throw new Error("there is nothing to count");
  ctx.log.info("recounted", { of });
});
export const relay = Singleton("relay", async (ctx) => {
  ctx.log.info("relays");
  await new Promise((done) => ctx.signal.addEventListener("abort", done));
  ctx.log.info("rests");
});
export const who = API("GET /who", (ctx) => ({ ip: ctx.client.ip, origin: ctx.origin }));
`,
  "scale/scale.ts": `import { API, type Path } from "fw";
export const weigh = API("GET /scale/{of}", (ctx, { of }: { of: Path }) => {
  ctx.log.info("weighed", { of, ip: ctx.client.ip });
  return { grams: of.length };
}, { private: true });
`,
  "forms/pages/templates/form.html": "{{csrfToken}}",
  "forms/forms.ts": `import { Entity, Page, Redirect, Site, type ID } from "fw";
export const drafts = Entity<{ id: ID }>("drafts");
export const site = Site("./pages");
export const form = Page("GET /form", (ctx) => site.fragment(ctx, "form.html", {}));
export const send = Page("POST /form", async (ctx) => { await drafts.put(ctx, { id: "1" }); return Redirect("/form"); });
`,
  "desk/pages/templates/form.html": "{{csrfToken}}",
  "desk/desk.ts": `import { API, Page, Redirect, Site } from "fw";
import { who } from "../web/web.ts";
export const through = API("GET /through", (ctx) => who.call(ctx, {}));
export const site = Site("./pages");
export const form = Page("GET /desk", (ctx) => site.fragment(ctx, "form.html", {}));
export const send = Page("POST /desk", () => Redirect("/desk"));
`,
};

const stem = { app: "market", env: "prod" };
let root: string;
let fake: FakeCloud;
const running = new Map<string, RunningService>();

beforeAll(async () => {
  root = writeApplication({ "package.json": `{ "name": "market", "type": "module" }`, ...files });
  [fake] = await Promise.all([startFakeCloud(), build(root, "--platform", "gcp")]);
  const place = { ...stem, project: fake.project.id };
  for (const name of ["web", "scale"]) {
    const account = serviceAccountEmail(place, name);
    fake.grant(`serviceAccount:${account}`, "roles/monitoring.metricWriter");
    if (name === "web") fake.grant(`serviceAccount:${account}`, "roles/datastore.user");
    const env = {
      ...(await fake.envOf(account)),
      FW_ENV: "prod",
      FW_PLATFORM: "gcp",
      K_REVISION: `${name}-00001`,
      WEB_KEY: "12345",
    };
    const service = await startService(root, name, { env });
    running.set(name, service);
    fake.run({ name: serviceName(stem, name), serviceAccount: account, url: service.url, public: name === "web" });
  }
  fake.grant(
    `serviceAccount:${serviceAccountEmail(place, "web")}`,
    "roles/run.invoker",
    fake.cloud.services.resource(serviceName(stem, "scale")),
  );
});
afterAll(async () => {
  for (const service of running.values()) await service.stop();
  await fake?.stop();
  await rm(root, { recursive: true, force: true });
});

/** Returns the environment of a service's process that may use the database. */
async function environmentOf(name: string): Promise<Readonly<Record<string, string>>> {
  const account = serviceAccountEmail({ ...stem, project: fake.project.id }, name);
  for (const role of ["roles/monitoring.metricWriter", "roles/datastore.user"])
    fake.grant(`serviceAccount:${account}`, role);
  return { ...(await fake.envOf(account)), FW_ENV: "prod", FW_PLATFORM: "gcp", WEB_KEY: "12345" };
}

const urlOf = (name: string): string =>
  serviceUrl({ ...stem, projectNumber: fake.project.number, region: fake.project.region }, name);
const linesOf = (name: string): readonly Readonly<Record<string, unknown>>[] =>
  (running.get(name)?.output() ?? "")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);

test("a service calls a private one in its own name, and no other caller may", async () => {
  const answer = await askCloud(fake, `${urlOf("web")}/weight/feather`);
  expect([answer.status, answer.text]).toEqual([200, `{"grams":7,"key":5}`]);
  expect((await askCloud(fake, `${urlOf("scale")}/scale/feather`)).status).toBe(403);
  const token = await fake.cloud.tokens.id("eve@demo-fw.iam.gserviceaccount.com", urlOf("scale"));
  const forged = { authorization: `Bearer ${token}`, "x-fw-caller": "web" };
  expect((await askCloud(fake, `${urlOf("scale")}/scale/feather`, forged)).status).toBe(403);
});

test("a service takes calls from the services whose code calls it, whatever Cloud Run lets in", async () => {
  const accountOf = (name: string): string => serviceAccountEmail({ ...stem, project: fake.project.id }, name);
  const ask = async (called: string, path: string, caller: string) => {
    const token = await fake.cloud.tokens.id(accountOf(caller), urlOf(called));
    const call = { authorization: `Bearer ${token}`, "x-fw-caller": caller, "x-fw-client-ip": "192.0.2.7" };
    return askCloud(fake, `${urlOf(called)}${path}`, call);
  };
  expect((await ask("web", "/who", "desk")).text).toContain("192.0.2.7");
  expect((await ask("web", "/who", "forms")).text).not.toContain("192.0.2.7");
  const scale = fake.cloud.services.resource(serviceName(stem, "scale"));
  fake.grant(`serviceAccount:${accountOf("forms")}`, "roles/run.invoker", scale);
  const refused = await ask("scale", "/scale/feather", "forms");
  expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("error")]);
  expect((await ask("scale", "/scale/feather", "web")).status).toBe(200);
});

test("a service whose token's keys are known no more calls with another one", async () => {
  expect((await askCloud(fake, `${urlOf("web")}/weight/feather`)).status).toBe(200);
  const { google } = fake.cloud.tokens;
  for (const _ of ["one", "another"]) await google.rotate();
  expect((await askCloud(fake, `${urlOf("web")}/weight/feather`)).status).toBe(200);
});

test("what only services may say counts for nobody whose token is another's", async () => {
  const token = await fake.cloud.tokens.id("eve@demo-fw.iam.gserviceaccount.com", urlOf("web"));
  const said = { authorization: `Bearer ${token}`, "x-fw-caller": "scale", "x-fw-client-ip": "203.0.113.9" };
  const answer = await askCloud(fake, `${urlOf("web")}/who`, said);
  expect(JSON.parse(answer.text)).toEqual({ ip: "127.0.0.1", origin: urlOf("web") });
});

test("the lines of a request, in every service, have the trace that Cloud Run has given it", async () => {
  const trace = "0af7651916cd43dd8448eb211c80319c";
  await askCloud(fake, `${urlOf("web")}/weight/coin`, { traceparent: `00-${trace}-b7ad6b7169203331-01` });
  const field = "logging.googleapis.com/trace";
  const expected = {
    severity: "INFO",
    fields: expect.objectContaining({ of: "coin" }),
    [field]: `projects/demo-fw/traces/${trace}`,
  };
  await expect.poll(() => linesOf("web")).toContainEqual(expect.objectContaining({ message: "asked", ...expected }));
  await expect
    .poll(() => linesOf("scale"))
    .toContainEqual(expect.objectContaining({ message: "weighed", ...expected }));
});

test("what a service keeps is in Datastore", async () => {
  const made = await askCloud(fake, `${urlOf("web")}/parcels/feathers`, {}, { method: "POST" });
  const { id } = JSON.parse(made.text) as { id: string };
  const found = await askCloud(fake, `${urlOf("web")}/parcels/${id}`);
  expect([made.status, found.status, JSON.parse(found.text)]).toEqual([200, 200, { id, of: "feathers" }]);
});

test("what a visitor who has gone was reading is not waited for", async () => {
  const { faults } = fake.cloud;
  faults.add({ fault: "slow", method: /lookup$/, milliseconds: 30_000, times: 1 });
  const controller = new AbortController();
  const visit = fetch(`${running.get("web")?.url}/search/lost`, { signal: controller.signal });
  await expect.poll(() => faults.hits.get("slow")).toBe(1);
  controller.abort();
  await expect(visit).rejects.toThrow();
  const said = (): unknown => linesOf("web").find(({ message }) => message === "gave up")?.["fields"];
  await expect.poll(said, { timeout: 15_000 }).toMatchObject({ id: "lost", why: "AbortError" });
  faults.clear();
});

test("a form of one instance is accepted by another, since all share the key that Datastore keeps", async () => {
  const env = await environmentOf("forms");
  // Both look for the key before it exists.
  const [one, other] = await Promise.all([startService(root, "forms", { env }), startService(root, "forms", { env })]);
  await using _one = one;
  await using _other = other;
  const page = await fetch(`${one.url}/form`);
  const [cookie = ""] = page.headers.get("set-cookie")?.split(";") ?? [];
  const token = await page.text();
  const send = async (given: string): Promise<number> => {
    const headers = { cookie, "x-csrf-token": given };
    return (await fetch(`${other.url}/form`, { method: "POST", headers, redirect: "manual" })).status;
  };
  expect([await send(token), await send(`${token}x`)]).toEqual([303, 403]);
});

test("over https a form of one instance of a service without data is accepted by another without a shared key, and with FW_CSRF_KEY by those that have it", async () => {
  const env = await environmentOf("desk");
  const keyed = { ...env, FW_CSRF_KEY: Buffer.alloc(32, 7).toString("base64") };
  const instances = await Promise.all(
    [env, env, keyed, keyed].map((each) => startService(root, "desk", { env: each })),
  );
  await using one = instances[0];
  await using other = instances[1];
  await using oneKeyed = instances[2];
  await using otherKeyed = instances[3];
  type Instance = typeof one;
  const send = async (from: Instance, to: Instance, scheme: string): Promise<number> => {
    const forwarded = { "x-forwarded-proto": scheme };
    const page = await fetch(`${from?.url}/desk`, { headers: forwarded });
    const [cookie = ""] = page.headers.get("set-cookie")?.split(";") ?? [];
    const headers = { ...forwarded, cookie, "x-csrf-token": await page.text() };
    return (await fetch(`${to?.url}/desk`, { method: "POST", headers, redirect: "manual" })).status;
  };
  expect([await send(one, other, "https"), await send(oneKeyed, otherKeyed, "https")]).toEqual([303, 303]);
  expect([await send(one, oneKeyed, "https"), await send(oneKeyed, one, "https")]).toEqual([403, 403]);
  // Over http, other hosts can plant the cookie, so each instance uses its own secret key.
  expect([await send(one, one, "http"), await send(one, other, "http")]).toEqual([303, 403]);
});

test("a process that Cloud Run starts for a task of a job does that and ends, with the exit code that has it tried again or not", async () => {
  const main = join(root, ".fw/build/services/web-recountAll/main.js");
  const env = { ...(await environmentOf("web-recountAll")), PATH: process.env["PATH"], CLOUD_RUN_JOB: "recount" };
  const run = async (of: string): Promise<{ readonly code: unknown; readonly said: string }> => {
    const task = { CLOUD_RUN_TASK_INDEX: "1", CLOUD_RUN_TASK_COUNT: "2", CLOUD_RUN_TASK_ATTEMPT: "0" };
    const FW_RUN = JSON.stringify({ run: "r1", tasks: 2, args: JSON.stringify({ of }) });
    return promisify(execFile)(process.execPath, [main], { env: { ...env, ...task, FW_RUN } }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stdout }: { code?: unknown; stdout?: string }) => ({ code, said: stdout ?? "" }),
    );
  };
  const done = await run("feathers");
  expect([done.code, done.said]).toEqual([0, expect.stringContaining(`"of":"feathers"`)]);
  expect(done.said).toMatch(/"task":"?1/);
  const failed = await run("nothing");
  expect([failed.code, failed.said]).toEqual([1, expect.stringContaining("there is nothing to count")]);
});

/** Returns the time of a service's first log line with this message. */
function timeOf(service: RunningService | undefined, message: string): number {
  const said = (service?.output() ?? "").split("\n").find((line) => line.includes(`"${message}"`));
  return Date.parse((JSON.parse(said ?? "{}") as { readonly time?: string }).time ?? "");
}

test("a singleton runs in one of two instances, and in the other when that has stopped", async () => {
  const env = await environmentOf("web-relay");
  const instances = await Promise.all([
    startService(root, "web-relay", { env }),
    startService(root, "web-relay", { env }),
  ]);
  await using _one = instances[0];
  await using _other = instances[1];
  const relaying = (): readonly RunningService[] => instances.filter((each) => each.output().includes(`"relays"`));
  await expect.poll(() => relaying().length).toBe(1);
  const [first] = relaying();
  expect(await first?.stop()).toBe(0);
  await expect.poll(() => relaying().length).toBe(2);
  const second = instances.find((each) => each !== first);
  expect(timeOf(second, "relays")).toBeGreaterThanOrEqual(timeOf(first, "rests"));
});

test("what was counted is in Cloud Monitoring when the instance has been stopped, within its ten seconds", async () => {
  const web = running.get("web");
  expect(await web?.stop()).toBe(0);
  const series = [...fake.apis.monitoring.series.values()].filter(
    ({ resource }) => resource?.labels?.["job"] === "web",
  );
  const types = series.map(({ metric }) => metric?.type?.replace("custom.googleapis.com/", ""));
  expect([...new Set(types)].toSorted()).toEqual(["asked", "request_ms", "requests"]);
  expect(series[0]?.resource).toEqual({
    type: "generic_task",
    labels: {
      project_id: "demo-fw",
      location: "europe-west1",
      namespace: "market-prod",
      job: "web",
      task_id: expect.stringMatching(/^\d+$/),
    },
  });
  expect(series[0]?.metric?.labels).toMatchObject({ revision: "web-00001" });
  expect(web?.output()).not.toContain("were not exported");
});
