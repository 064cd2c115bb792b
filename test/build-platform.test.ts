import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Manifest } from "../packages/fw/src/build/manifest.ts";
import { desired } from "../packages/fw/src/deploy/desired/desired.ts";
import { locationEnvironment } from "../packages/fw/src/platform/gcp/cloud-location.ts";
import { declaredShop } from "../packages/fw/src/deploy/testing/shop.ts";
import { bin, build, filesBelow, modulesOf, startService } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { copyOfExample } from "./support/fw.ts";

// An application that needs every part of a platform: data, sign-in, calls to another service, background work.
const files = {
  "desk/desk.ts": `import { API, Auth, Entity, Page, Queue, Site, Worker, type ID } from "fw";
import { weigh } from "../scale/scale.ts";
export const auth = Auth({ social: true, password: true });
export const parcels = Entity<{ id: ID; grams: number }>("parcels");
export const stamps = Queue<{ parcel: string }>("stamps");
export const site = Site("./public");
export const form = Page("GET /", (ctx) => site.fragment(ctx, "form.html"));
export const take = Page("POST /", async (ctx) => {
  const { id } = await parcels.create(ctx, { grams: await weigh.call(ctx, {}) });
  await stamps.send(ctx, { parcel: id });
  return site.fragment(ctx, "form.html");
}, { signIn: true });
export const stamp = Worker(stamps, async (ctx, { parcel }) => void ctx.log.info("stamped", { parcel }));
`,
  "desk/public/templates/form.html": "<form method=post>{{csrf}}<button>Take</button></form>",
  "post/post.ts": `import { API, Queue, Worker, transaction, type Context } from "fw";
export const letters = Queue<string>("letters");
const write = (ctx: Context): Promise<string> => letters.send(ctx, "dear");
export const send = API("POST /letters", (ctx) => transaction(ctx, write), { private: true });
export const deliver = Worker(letters, (ctx, letter) => ctx.log.info(letter));
`,
  "scale/scale.ts": `import { API } from "fw";
export const weigh = API("GET /weight", () => 5, { private: true });
`,
};

let root: string;
const built = new Map<
  string,
  { readonly modules: ReadonlyMap<string, readonly string[]>; readonly manifest: Manifest }
>();

beforeAll(async () => {
  root = writeApplication(files);
  for (const platform of ["gcp", "local"]) {
    await build(root, "--platform", platform);
    const manifest = JSON.parse(readFileSync(join(root, ".fw/build/app.json"), "utf8")) as Manifest;
    built.set(platform, { modules: modulesOf(root), manifest });
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

test.each([
  ["gcp", /^fw\/(?:platform\/(?:local|loopback)|service\/local)\b/, /^fw\/platform\/gcp\//],
  ["local", /^fw\/(?:platform|service)\/gcp\b/, /^fw\/platform\/local\//],
] as const)("a service that is built for %s has no module of another platform", (platform, others, own) => {
  const { modules, manifest } = built.get(platform) ?? {};
  expect(manifest?.platform).toBe(platform);
  expect([...(modules?.keys() ?? [])]).toEqual(["desk", "desk-stamp", "post", "post-deliver", "scale"]);
  for (const [name, all] of modules ?? []) expect([name, all.filter((each) => others.test(each))]).toEqual([name, []]);
  expect(modules?.get("desk")?.filter((each) => own.test(each))).not.toEqual([]);
});

test("a service that does nothing but send in transactions may keep what it sends until it is sent, and do nothing else", () => {
  const { manifest } = built.get("gcp") ?? expect.fail();
  expect(manifest.services.find(({ name }) => name === "post")?.framework).toEqual([
    { kind: "entity", name: "_fw_outbox", operations: ["create", "delete", "query", "update"] },
    { kind: "entity", name: "_fw_commits", operations: ["create", "get"] },
  ]);
  const images = Object.fromEntries(manifest.services.map(({ name }) => [name, "image"]));
  const bindings = desired({ ...declaredShop, manifest, images })
    .filter(({ kind }) => kind === "grants")
    .flatMap(({ id, spec }) =>
      (spec["bindings"] as readonly { readonly role: string; readonly members: readonly string[] }[])
        .filter(({ members }) => members.some((member) => member.includes("-post@")))
        .map(({ role }) => `${role} on ${id.split("/").slice(-2).join(" ")}`),
    );
  expect(bindings.toSorted()).toEqual([
    "roles/cloudtasks.enqueuer on queues shop-test-letters",
    "roles/datastore.user on projects demo-fw",
    "roles/monitoring.metricWriter on projects demo-fw",
  ]);
});

test("a service refuses to start where FW_PLATFORM is not what it was built for", async () => {
  const env = { FW_PLATFORM: "gcp" };
  await expect(startService(root, "scale", { env })).rejects.toThrow(
    'ended with 1: this service was built for local, but FW_PLATFORM is "gcp": build it with fw build --platform gcp, or set FW_PLATFORM to local\n',
  );
  const same = { FW_PLATFORM: "local" };
  await expect(startService(root, "scale", { env: same })).rejects.toThrow("ended with 1: this service keeps data");
});

test("FW_PLATFORM is what fw build builds for where no option says it, and one that is not there is refused", async () => {
  const run = { cwd: root, env: { ...process.env, FW_PLATFORM: "aws" } };
  const refused = await promisify(execFile)(process.execPath, [bin, "build"], run).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 2, stderr: `fw: FW_PLATFORM must be "local" or "gcp", not "aws"\n` });
});

test("the hello example for Google Cloud is less than 400 kB, without a byte of another platform, says what it misses, and starts without Google", async () => {
  const own = await copyOfExample("hello");
  try {
    await build(own, "--platform", "gcp");
    const place = join(own, ".fw/build/services/hello");
    const code = [...filesBelow(place).keys()].filter((name) => name.endsWith(".js"));
    expect(code.reduce((sum, name) => sum + statSync(join(place, name)).size, 0)).toBeLessThan(400_000);
    for (const module of modulesOf(own).get("hello") ?? [])
      expect(module).not.toMatch(/platform\/(?:local|loopback)\b/);
    await expect(startService(own, "hello")).rejects.toThrow(
      "ended with 1: this service was built for gcp, but could not determine where it runs: FW_ENV is not set",
    );
    const location = locationEnvironment({ project: "demo", projectNumber: "123", region: "europe-west1" });
    const service = await startService(own, "hello", { env: { FW_ENV: "prod", ...location } });
    onTestFinished(() => void process.kill(service.pid, "SIGKILL"));
    expect((await fetch(`${service.url}/`)).status).toBe(200);
  } finally {
    await rm(own, { recursive: true, force: true });
  }
});
