import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFakeCloud, type FakeCloud } from "../packages/fake-cloud/src/index.ts";
import { unneededGrants } from "../packages/fake-cloud/src/iam/unneeded.ts";
import { fwIn, silent, type Ran } from "../packages/fw/src/cli/testing/run.ts";
import { main } from "../packages/fw/src/cli/main.ts";
import { linkedBase, publishBase } from "../packages/fw/src/deploy/image/testing/base.ts";
import { askCloud } from "./support/ask-cloud.ts";
import { signInAs } from "./support/cloud/sign-in.ts";
import { writeApplication } from "./support/dev-app.ts";

const shop = {
  "package.json": `{ "name": "shop", "type": "module" }`,
  "scale/scale.ts": `import { API } from "fw";
export const weigh = API("GET /weight", (): { grams: number } => ({ grams: 7 }), { private: true });
`,
  "orders/orders.ts": `import { API, Auth, Bucket, Channel, Cron, Entity, Job, Queue, Role, Runner, Secret, Service, Subscribe, Topic, Worker, type ID, type Index } from "fw";
export interface Order { id: ID; buyer: Index<string>; at: Index<Date> }
export const app = Service({ domain: "shop.example.com" });
export const orders = Entity<Order>("orders");
export const receipts = Queue<{ order: string }>("receipts");
export const mailKey = Secret("MAIL_KEY");
export const hook = Secret("HOOK_URL");
export const chat = Channel("chat", { webhook: hook });
export const list = API("GET /orders", (ctx) => orders.query().where("buyer", "==", "a").orderBy("at").all(ctx));
export const root = API("GET /", () => ({ key: mailKey.value().length }));
export const sweep = Cron("sweep", "0 4 * * *", async (ctx) => {
  await receipts.send(ctx, { order: "1" });
  ctx.log.info("swept");
});
export const send = Worker(receipts, (_ctx, { order }) => { throw new Error("there is no order " + order); }, { maxAttempts: 5, minBackoff: "10ms", maxBackoff: "20ms" });
import { weigh } from "../scale/scale.ts";
export const auth = Auth({ password: true });
export const Editor = Role("editor");
export const rebuild = Job<{ from: string }>("rebuild");
export const rebuilding = Runner(rebuild, (ctx, { from }) => { ctx.log.info("rebuilt", { from }); });
export const photos = Bucket("photos");
export const upload = API("POST /photos", async (ctx): Promise<string> => (await photos.signedPut(ctx, "a.txt", "1m")).url);
export const scan = Subscribe(photos.uploaded, async (ctx, { key }) => { ctx.log.info("scanned", { size: (await photos.get(ctx, key)).size }); });
export const placed = Topic<{ order: string }>("placed");
export const onPlaced = Subscribe(placed, () => { throw new Error("the books are closed"); }, { maxAttempts: 5, minBackoff: "10ms", maxBackoff: "20ms" });
export const place = API("POST /orders", async (ctx): Promise<{ grams: number }> => {
  await orders.create(ctx, { buyer: "a", at: new Date(0) });
  await placed.publish(ctx, { order: "1" });
  await rebuild.start(ctx, { from: "orders" });
  return weigh.call(ctx, {});
});
export const people = API("GET /people", async (ctx): Promise<number> => (await auth.users.list(ctx).page()).users.length);
export const registered = Subscribe(auth.registered, () => {});
`,
};

/** The roles that the operator's commands need, as documented in docs/deploy.md. */
const operatorRoles = [
  "roles/firebaseauth.admin",
  "roles/datastore.user",
  "roles/pubsub.editor",
  "roles/cloudtasks.enqueuer",
  "roles/cloudscheduler.jobRunner",
  "roles/run.jobsExecutorWithOverrides",
  "roles/logging.viewer",
  "roles/storage.objectViewer",
];

describe("fw deploy", () => {
  let fake: FakeCloud;
  let directory: string;
  let cache: string;
  let env: Readonly<Record<string, string>>;
  const where = ["--project", "demo-fw", "--env", "test", "--region", "europe-west1"];
  const stranger = "stranger@demo-fw.iam.gserviceaccount.com";
  let operator: Readonly<Record<string, string>>;
  const operate = (...argv: readonly string[]): Promise<Ran> => fwIn(operator, [], directory, ...argv, ...where);
  // `fw logs` reads the environment and region from the record of deploys.
  const logs = async (service: string): Promise<string> =>
    (await fwIn(operator, [], directory, "logs", service, "--project", "demo-fw")).out;
  const dead = async (): Promise<readonly { readonly id: string }[]> =>
    JSON.parse((await operate("dead", "list", "--json")).out) as { readonly id: string }[];
  const fw = (...words: readonly string[]): Promise<Ran> => fwIn(env, [], directory, ...words, ...where);

  beforeAll(async () => {
    fake = await startFakeCloud();
    const deployer = "deployer@demo-fw.iam.gserviceaccount.com";
    fake.grant(`serviceAccount:${deployer}`, "roles/owner");
    const operating = "operator@demo-fw.iam.gserviceaccount.com";
    for (const role of operatorRoles) fake.grant(`serviceAccount:${operating}`, role);
    fake.grant(`serviceAccount:${stranger}`, "roles/browser");
    operator = await fake.envOf(operating);
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
      err: expect.stringContaining("missing --project <id> --region <region>") as string,
    });
  });

  test("tells all that stands in the way at once, and writes nothing", async () => {
    const ran = await fw("deploy", "--yes");
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("the secret test-MAIL_KEY does not exist");
    expect(ran.out).toContain("gcloud secrets create test-MAIL_KEY --project demo-fw --data-file=-");
    expect(ran.out).toContain(
      "orders/orders.ts:3: the domain shop.example.com is not verified for the deploying account",
    );
    expect(fake.apis.pubsub.topics.size).toBe(0);
    fake.apis.secrets.set("test-MAIL_KEY", "12345");
    fake.apis.secrets.set("test-HOOK_URL", "https://chat.example.com/hook");
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
    const ran = await fw("deploy", "--verbose");
    expect(ran).toMatchObject({ code: 2, err: "fw: no terminal to confirm on: pass --yes\n" });
    expect(ran.out).toContain("+ database shop-test");
    expect(ran.out).toContain("permanent: its region and mode cannot be changed later");
    expect(ran.out).toContain("    + roles/cloudtasks.enqueuer: shop-test-orders-app\n");
    expect(ran.out).toMatch(/\n\d+ to create.*unchanged\nfixed costs: about 1 USD a month.*\nusage costs: .*\n$/);
    expect(fake.apis.firestore.databases.size).toBe(0);
  });

  test("several commands in one checkout build at the same time, as the jobs of a CI matrix do", async () => {
    const runs = await Promise.all([fw("deploy", "--dry-run"), fwIn(env, [], directory, "build")]);
    expect(runs.map(({ code, err }) => [code, err])).toEqual(runs.map(() => [0, ""]));
    expect(readdirSync(join(directory, ".fw")).filter((name) => name.startsWith("build."))).toEqual([]);
  });

  test("--dry-run prints the plan and writes nothing, and --json prints it as one object", async () => {
    expect(await fw("deploy", "--dry-run")).toMatchObject({ code: 0, err: "" });
    const ran = await fw("deploy", "--dry-run", "--json");
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.out)).toMatchObject({
      version: 1,
      app: "shop",
      env: "test",
      result: "planned",
      outcomes: [],
    });
    expect(fake.apis.firestore.databases.size).toBe(0);
    expect(fake.cloud.services.all()).toEqual([]);
  });

  test("is written for Terraform with the names that a deploy uses, without asking the project", async () => {
    expect(await fw("gen", "terraform", "--out", "infra/main.tf")).toMatchObject({ code: 0 });
    const written = readFileSync(join(directory, "infra/main.tf"), "utf8");
    expect(written).toContain('resource "google_cloud_run_domain_mapping" "domain_shop_example_com" {');
    expect(written).toContain('    route_name       = "shop-test-orders-app"\n');
    expect(written).toContain('    secret  = "test-MAIL_KEY"\n');
    rmSync(join(directory, "infra"), { recursive: true });
  });

  test("makes everything, starts the services from their images, and asks them whether they answer", async () => {
    const ran = await fw("deploy", "--yes");
    expect(ran.out).toContain("orders-app https://shop-test-orders-app-123456789012.europe-west1.run.app 200");
    // The result of the lookup follows in parentheses. On a busy machine, it may time out.
    expect(ran.out).toContain("shop.example.com → shop-test-orders-app: awaiting DNS (it ");
    expect(ran.out).toContain("    set CNAME shop.example.com → ghs.googlehosted.com\n");
    expect(ran).toMatchObject({ code: 0, err: "" });
  });

  test("has nothing to do a second time, and says that nothing differs", async () => {
    fake.apis.domains.issue("shop.example.com");
    fake.apis.zone.set("shop.example.com", { type: "CNAME", data: "ghs.googlehosted.com" });
    const domain = "shop.example.com → shop-test-orders-app: certificate ACTIVE";
    const again = await fw("deploy");
    expect(again).toMatchObject({ code: 0, err: "" });
    expect(again.out).toContain(`nothing to do: shop in test is up to date\n${domain}`);
    const status = await fw("status");
    expect(status).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+ unchanged\n/) as string });
    expect(status.out).toContain(domain);
    const [dashboard = ""] = fake.apis.monitoring.dashboards.keys();
    const id = dashboard.split("/").at(-1);
    const link = `https://console.cloud.google.com/monitoring/dashboards/builder/${id}?project=demo-fw`;
    expect(status.out).toContain(`dashboard: ${link}\n`);
  });

  test("refuses a version that cannot read the data of the deployed one, until that is accepted", async () => {
    const path = join(directory, "orders/orders.ts");
    const source = readFileSync(path, "utf8");
    writeFileSync(path, source.replace("buyer: Index<string>", `buyer: Index<"a">`));
    const [refused, accepted] = [await fw("deploy"), await fw("deploy", "--accept-data-changes", "--dry-run")];
    writeFileSync(path, source);
    const sentence = 'documents of "orders" do not fit the new type at buyer';
    expect(refused).toMatchObject({ code: 1, out: expect.stringContaining(`! orders/orders.ts:4: ${sentence}`) });
    expect(accepted).toMatchObject({ code: 0, out: expect.stringContaining(`warning: ${sentence}`) });
  });

  test("accounts of a deployed application are created, given roles and disabled, by permitted operators only", async () => {
    expect(await operate("users", "list")).toEqual({ code: 0, out: "there are no accounts\n", err: "" });
    const created = await operate("users", "create", "ada@example.com", "--name", "Ada");
    expect(created).toEqual({ code: 0, out: "ada@example.com has an account\n", err: "" });
    expect((await operate("users", "grant", "ada@example.com", "editor")).out).toContain("has the role editor");
    expect((await operate("users", "list")).out).toMatch(/^ada@example\.com +Ada +editor$/m);
    expect((await operate("users", "sessions", "ada@example.com")).out).toBe("the account has no session\n");
    expect((await operate("users", "disable", "ada@example.com")).code).toBe(0);
    expect((await operate("users", "show", "ada@example.com")).out).toMatch(/^state +disabled$/m);
    expect((await operate("users", "grant", "ada@example.com", "editro")).err).toContain('did you mean "editor"?');
    const refused = await fwIn(await fake.envOf(stranger), [], directory, "users", "list", ...where);
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining("You need the role roles/datastore.user") as string,
    });
  });

  test("a cron runs now, and a job with arguments of its type", async () => {
    const cron = await operate("run", "cron", "sweep");
    expect(cron).toEqual({ code: 0, out: 'the cron sweep was triggered; follow it with "fw logs"\n', err: "" });
    await expect.poll(() => logs("orders-app")).toContain("  orders-app  INFO  swept\n");
    const job = await operate("run", "job", "rebuild", `{ "from": "monday" }`);
    expect(job).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^the run \S+ of rebuild has started\n$/) as string,
    });
    const line = "  orders-rebuilding  INFO  rebuilt\n";
    await expect.poll(() => logs("orders-rebuilding")).toContain(line);
    expect(await logs("orders-rebuilding")).toContain("    from: monday\n");
    expect(await operate("run", "job", "rebuild")).toMatchObject({
      code: 2,
      err: expect.stringContaining("takes arguments") as string,
    });
    expect(await operate("run", "job", "rebuild", `{ "from": 1 }`)).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("from") as string,
    });
    expect((await operate("run", "cron", "swep")).err).toContain('did you mean "sweep"?');
  });

  test("logs are read where it is deployed, by the names of its services, and followed", async () => {
    expect(await logs("shop-test-orders-app")).toContain("swept");
    expect(await logs("orders-app")).not.toContain("rebuilt");
    let [out, stop] = ["", (): void => {}];
    const io = {
      ...silent,
      cwd: directory,
      env: operator,
      out: { isTTY: false, write: (text: string) => void (out += text) },
      onStop: (then: () => void) => ((stop = then), () => {}),
    };
    const following = main(["logs", "orders-app", "--follow", "--json", "--project", "demo-fw"], io);
    await expect.poll(() => out).toContain("swept");
    const before = out.split("swept").length;
    await operate("run", "cron", "sweep");
    await expect.poll(() => out.split("swept").length).toBe(before + 1);
    stop();
    expect(await following).toBe(0);
    expect(new Set(out.trim().split("\n")).size).toBe(out.trim().split("\n").length);
  });

  test("dead messages are listed, sent again, and dropped", async () => {
    await expect.poll(dead).toHaveLength(2);
    const [one] = await dead();
    expect(one).toMatchObject({ receiver: "orders-send", attempts: 5, reason: "there is no order 1" });
    const again = await operate("dead", "replay", one?.id ?? "");
    expect(again).toEqual({ code: 0, out: "1 message was resent\n", err: "" });
    // The message fails again and becomes the newest dead letter.
    await expect.poll(async () => (await dead()).map(({ id }) => id).at(-1)).toBe(one?.id);
    const dropped = await operate("dead", "drop", "--all", "--receiver", "orders-send");
    expect(dropped).toEqual({ code: 0, out: "2 messages were deleted\n", err: "" });
    expect((await operate("dead", "list")).out).toBe("there are no dead messages\n");
  });

  test("finds what somebody has changed, and puts it right", async () => {
    const queue = fake.apis.tasks.queues.get("projects/demo-fw/locations/europe-west1/queues/shop-test-receipts");
    if (queue) queue.config = { ...queue.config, retryConfig: { ...queue.config.retryConfig, maxDoublings: 3 } };
    const differs = await fw("status");
    expect(differs.code).toBe(1);
    expect(differs.out).toContain("~ queue receipts\n    retryConfig.maxDoublings: 3 → 16");
    fake.grant(
      "allUsers",
      "roles/storage.objectViewer",
      "//storage.googleapis.com/projects/_/buckets/demo-fw-shop-test-photos",
    );
    const open = await fw("status");
    expect(open.out).toContain("WARNING: bucket photos is open to everyone: allUsers has roles/storage.objectViewer");
    fake.cloud.policies.revoke(
      "allUsers",
      "roles/storage.objectViewer",
      "//storage.googleapis.com/projects/_/buckets/demo-fw-shop-test-photos",
    );
    const ran = JSON.parse((await fw("deploy", "--yes", "--json")).out) as { outcomes: readonly object[] };
    expect(ran).toMatchObject({ version: 1, result: "done" });
    expect(ran.outcomes).toMatchObject([{ op: "update", kind: "queue", state: "done" }]);
  });

  test("shows the last log lines of a container that does not start, and goes on when it does", async () => {
    const file = join(directory, "scale/scale.ts");
    const working = readFileSync(file, "utf8");
    const broken = `if (process.env["K_SERVICE"] !== undefined) throw new Error("the scale is broken");\n`;
    writeFileSync(file, working + broken);
    const ran = await fw("deploy", "--yes");
    expect(ran.code).toBe(1);
    expect(ran.out).toMatch(/^ {2}FAILED service scale \(update, [\d.]+ s\): /m);
    expect(ran.out).toContain("the last lines of its log (run fw logs for all of them):\n");
    expect(ran.out).toMatch(/^ {4}.*the scale is broken/m);
    expect(ran.out).toMatch(/deploy incomplete: \d+ steps left\. Run the same command to resume\.\n$/);
    writeFileSync(file, working);
    expect(await fw("deploy", "--yes")).toMatchObject({ code: 0, err: "" });
  });

  test("says in a sentence that an access token has expired", async () => {
    const expired = { ...env, CLOUDSDK_AUTH_ACCESS_TOKEN: "expired" };
    expect(await fwIn(expired, [], directory, "status", ...where)).toMatchObject({
      code: 2,
      err: `fw: CLOUDSDK_AUTH_ACCESS_TOKEN has expired or was revoked: set it to what "gcloud auth print-access-token" prints, and run the same command again\n`,
    });
  });

  test("no service has a grant that nothing takes, and without one of them what takes it is refused", async () => {
    const web = "https://shop-test-orders-app-123456789012.europe-west1.run.app";
    const post = (path: string) => askCloud(fake, `${web}${path}`, {}, { method: "POST" });
    const signed = JSON.parse((await post("/photos")).text) as string;
    expect((await fetch(signed, { method: "PUT", body: "hello" })).status).toBe(200);
    await expect.poll(() => logs("orders-scan")).toContain("    size: 5\n");
    expect((await post("/orders")).text).toBe(`{"grams":7}`);
    expect((await askCloud(fake, `${web}/people`)).text).toBe("1");
    const type = "application/x-www-form-urlencoded";
    const body = (await signInAs({ fake, manifest: {} }, Buffer.from("dev_user=bo"), type))?.toString() ?? "";
    const session = await askCloud(fake, `${web}/_fw/api/session`, { "content-type": type }, { method: "POST", body });
    expect(session.headers["set-cookie"]).toBeDefined();
    const died = async (): Promise<number> => (await dead()).length;
    await expect.poll(died).toBe(1);
    // Without this grant, Pub/Sub cannot push the messages, and moves them to the dead-letter topic.
    const receiver =
      "//run.googleapis.com/projects/demo-fw/locations/europe-west1/services/shop-test-orders-on--placed";
    const { policies, accessChecks } = fake.cloud;
    const { bindings = [] } = policies.get(receiver);
    expect(bindings).toMatchObject([{ role: "roles/run.invoker" }]);
    policies.set(receiver, { bindings: [] });
    expect((await post("/orders")).status).toBe(200);
    await expect.poll(died).toBe(2);
    policies.set(receiver, { bindings });
    // Instances export their metrics when they stop.
    await fake.apis.containers.stop();
    const callers = new Set(policies.grants().map(({ member }) => member.replace(/^serviceAccount:/, "")));
    for (const person of ["deployer", "operator", "stranger"])
      callers.delete(`${person}@demo-fw.iam.gserviceaccount.com`);
    const grantLines = unneededGrants(policies, accessChecks, callers).map(
      ({ member, role, resource }) => `${member} ${role} ${resource}`,
    );
    // Two of the receivers never fail, and two would count messages that do not match their type.
    const isForFailures =
      /-(?:scan|registered)\.dead$|pubsub\.subscriber .*--orders-(?:scan|registered)$|-(?:on--placed|send)@.*metricWriter/;
    expect(grantLines.filter((line) => !isForFailures.test(line))).toEqual([]);
  });

  test("removes everything but what keeps data, and that only by its name", async () => {
    expect(await fw("destroy")).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "this destroys shop-test; without a terminal to type the name, pass --confirm shop-test",
      ) as string,
    });
    const ran = await fw("destroy", "--confirm", "shop-test");
    expect(ran.out).toMatch(/\nkept, because other applications in the project may use it:\n= images in /);
    expect(ran.out.match(/because other applications/g)).toHaveLength(1);
    expect(ran.out).toMatch(/\ndone: \d+ steps\n$/);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(fake.apis.firestore.databases.size).toBe(1);
    expect(await fw("destroy", "--data", "--confirm", "shop-test")).toMatchObject({ code: 0, err: "" });
    expect(fake.apis.firestore.databases.size).toBe(0);
    expect(fake.apis.pubsub.topics.size).toBe(0);
  });

  test("is previewed beside the environment that has its domain, and leaves nothing, as docs/ci.md says", async () => {
    fake.apis.secrets.set("pr-7-MAIL_KEY", "12345");
    fake.apis.secrets.set("pr-7-HOOK_URL", "https://chat.example.com/hook");
    fake.apis.domains.mappedElsewhere.add("shop.example.com");
    const [deploys = "", destroys = ""] = previewLines();
    const asWritten = (line: string): Promise<Ran> => fwIn(env, [], directory, ...line.split(" "));
    const up = await asWritten(deploys);
    expect(up).toMatchObject({ code: 0, err: "" });
    expect(up.out).toContain("orders-app https://shop-pr-7-orders-app-123456789012.europe-west1.run.app 200");
    expect(await asWritten(destroys)).toMatchObject({ code: 0, err: "" });
    expect(fake.cloud.services.all()).toEqual([]);
    expect(fake.apis.firestore.databases.size).toBe(0);
  });
});

/** Returns the commands of the documented workflow for pull requests, for pull request 7. */
function previewLines(): readonly string[] {
  const page = readFileSync(new URL("../docs/ci.md", import.meta.url), "utf8");
  const lines = [...page.matchAll(/run: npx fw ((?:deploy|destroy) .*pr-.*)$/gm)].map(([, line = ""]) => line);
  expect(lines).toHaveLength(2);
  return lines.map((line) => line.replaceAll("${{ github.event.number }}", "7").replaceAll("acme-1", "demo-fw"));
}
