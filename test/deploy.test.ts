import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { startFakeCloud, type FakeCloud } from "../packages/fake-cloud/src/index.ts";
import { fwIn, type Ran } from "../packages/fw/src/cli/testing/run.ts";
import { linkedBase, publishBase } from "../packages/fw/src/deploy/image/testing/base.ts";
import { writeApplication } from "./support/dev-app.ts";

// A deploy bundles the application, and the cloud starts it.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const shop = {
  "package.json": `{ "name": "shop", "type": "module" }`,
  "orders/orders.ts": `import { API, Cron, Entity, Queue, Secret, Service, Worker, type ID, type Index } from "fw";
export interface Order { id: ID; buyer: Index<string>; at: Index<Date> }
export const app = Service({ domain: "shop.example.com" });
export const orders = Entity<Order>("orders");
export const receipts = Queue<{ order: string }>("receipts");
export const mailKey = Secret("MAIL_KEY");
export const list = API("GET /orders", (ctx) => orders.query().where("buyer", "==", "a").orderBy("at").all(ctx));
export const root = API("GET /", () => ({ key: mailKey.value().length }));
export const sweep = Cron("sweep", "0 4 * * *", async (ctx) => { await receipts.send(ctx, { order: "1" }); });
export const send = Worker(receipts, () => {});
`,
};

describe("fw deploy", () => {
  let fake: FakeCloud;
  let directory: string;
  let cache: string;
  let env: Readonly<Record<string, string>>;
  const where = ["--project", "demo-fw", "--env", "test", "--region", "europe-west1"];
  const fw = (command: string, ...more: readonly string[]): Promise<Ran> =>
    fwIn(env, [], directory, command, ...where, ...more);

  beforeAll(async () => {
    fake = await startFakeCloud();
    const deployer = "deployer@demo-fw.iam.gserviceaccount.com";
    fake.grant(`serviceAccount:${deployer}`, "roles/owner");
    cache = await mkdtemp(join(tmpdir(), "fw-cache-"));
    directory = writeApplication(shop);
    const base = await publishBase(fake, await linkedBase());
    env = { ...(await fake.envOf(deployer)), HOME: cache, XDG_CACHE_HOME: cache, FW_BASE_IMAGE: base };
  });

  afterAll(async () => {
    await fake.stop();
    await rm(directory, { recursive: true, force: true });
    await rm(cache, { recursive: true, force: true });
  });

  test("never takes a project, an environment or a region from anywhere but its options", async () => {
    const ran = await fwIn({ ...env, GOOGLE_CLOUD_PROJECT: "demo-fw" }, [], directory, "deploy", "--env", "test");
    expect(ran).toMatchObject({
      code: 2,
      err: expect.stringContaining("say where: --project <id> --region <region>") as string,
    });
  });

  test("tells all that stands in the way at once, and writes nothing", async () => {
    const ran = await fw("deploy", "--yes");
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("the secret test-MAIL_KEY does not exist");
    expect(ran.out).toContain("gcloud secrets create test-MAIL_KEY --project demo-fw --data-file=-");
    expect(ran.out).toContain(
      "orders/orders.ts:3: the domain shop.example.com is not verified for the account that deploys",
    );
    expect(fake.apis.pubsub.topics.size).toBe(0);
    fake.apis.secrets.set("test-MAIL_KEY", "12345");
    fake.apis.domains.verify("deployer@demo-fw.iam.gserviceaccount.com", "example.com");
  });

  test("refuses to proceed while an error stands", async () => {
    const broken = writeApplication({
      ...shop,
      "desk/desk.ts": `import { API } from "fw";\nexport const desk = API("GET /_fw/desk", () => ({}));\n`,
    });
    const ran = await fwIn(env, [], broken, "deploy", ...where, "--yes");
    await rm(broken, { recursive: true, force: true });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("desk/desk.ts:2:");
    expect(fake.apis.firestore.databases.size).toBe(0);
  });

  test("shows the plan of a first deploy with what it costs, and writes nothing where nobody confirms it", async () => {
    const ran = await fw("deploy");
    expect(ran).toMatchObject({ code: 2, err: "fw: nobody is there to confirm the plan: add --yes\n" });
    expect(ran.out).toContain("+ database shop-test");
    expect(ran.out).toContain("for good: its region and mode stay as they are");
    expect(ran.out).toContain("    + roles/cloudtasks.enqueuer: shop-test-orders-app\n");
    expect(ran.out).toMatch(/\n\d+ to create.*as declared\n$/);
    expect(fake.apis.firestore.databases.size).toBe(0);
  });

  test("makes everything, starts the services from their images, and asks them whether they answer", async () => {
    const ran = await fw("deploy", "--yes");
    expect(ran.out).toContain("orders-app https://shop-test-orders-app-123456789012.europe-west1.run.app 200");
    expect(ran.out).toContain(
      "shop.example.com → shop-test-orders-app: awaiting DNS (it has no records yet)\n    set CNAME shop.example.com → ghs.googlehosted.com\n",
    );
    expect(ran).toMatchObject({ code: 0, err: "" });
  });

  test("has nothing to do a second time, and says that nothing differs", async () => {
    fake.apis.domains.issue("shop.example.com");
    fake.apis.zone.set("shop.example.com", { type: "CNAME", data: "ghs.googlehosted.com" });
    const domain = "shop.example.com → shop-test-orders-app: certificate ACTIVE\n";
    expect(await fw("deploy")).toMatchObject({ code: 0, out: `nothing to do: shop in test is as declared\n${domain}` });
    const status = await fw("status");
    expect(status).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ as declared\n/) as string });
    expect(status.out).toContain(domain);
  });

  test("finds what somebody has changed, and puts it right", async () => {
    const queue = fake.apis.tasks.queues.get("projects/demo-fw/locations/europe-west1/queues/shop-test-receipts");
    queue?.configure({ ...queue.config, retryConfig: { ...queue.config.retryConfig, maxDoublings: 3 } });
    const differs = await fw("status");
    expect(differs.code).toBe(1);
    expect(differs.out).toContain("~ queue receipts\n    retryConfig.maxDoublings: 3 → 16");
    const ran = JSON.parse((await fw("deploy", "--yes", "--json")).out) as { outcomes: readonly object[] };
    expect(ran).toMatchObject({ version: 1, result: "done" });
    expect(ran.outcomes).toMatchObject([{ op: "update", kind: "queue", state: "done" }]);
  });

  test("removes everything but what keeps data, and that only by its name", async () => {
    expect(await fw("destroy")).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "this destroys shop-test: nobody is there to type the name; add --confirm shop-test",
      ) as string,
    });
    const ran = await fw("destroy", "--confirm", "shop-test");
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(fake.apis.firestore.databases.size).toBe(1);
    expect(await fw("destroy", "--data", "--confirm", "shop-test")).toMatchObject({ code: 0, err: "" });
    expect(fake.apis.firestore.databases.size).toBe(0);
    expect(fake.apis.pubsub.topics.size).toBe(0);
  });
});
