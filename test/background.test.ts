import { expect, test } from "vitest";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { launchDev, startDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { allGone, descendants } from "./support/processes.ts";

const shop = {
  "shop/shop.ts": `
import { API, Cron, Entity, Job, Queue, Runner, Subscribe, Topic, Worker, transaction, type ID, type Int } from "fw";

export const done = Entity<{ id: ID; what: string }>("done");
export const all = API("GET /done", async (ctx) => (await done.query().all(ctx)).map(({ what }) => what).sort());

export interface Email { to: string; at: Date }
export const emails = Queue<Email>("emails");
export const sendEmail = Worker(emails, async (ctx, email, { id }) => {
  if (email.to === "stuck") await new Promise(() => {});
  if (email.to === "bad" && process.env["FW_TEST_MENDED"] === undefined) throw new Error("no such mailbox");
  await done.put(ctx, { id, what: \`mail to \${email.to} of \${email.at.getUTCFullYear()}\` });
}, { maxAttempts: 5, minBackoff: "1ms", maxBackoff: "1ms" });
export const send = API("POST /mail", async (ctx, { to }: { to: string }) => ({ id: await emails.send(ctx, { to, at: new Date(0) }) }));

export const reminders = Queue<{ version: Int }>("reminders");
export const remind = API("POST /remind", async (ctx, { version }: { version: Int }): Promise<void> => {
  await reminders.send(ctx, { version }, { key: "lunch", delay: "1s" });
});
export const sendReminder = Worker(reminders, async (ctx, { version }, { id }) => {
  await done.put(ctx, { id, what: \`reminder \${version}\` });
});

export const imports = Job("import", { history: "1d" });
export const startImport = API("POST /import", async (ctx) => ({ id: await imports.start(ctx) }));
export const readImports = API("GET /imports", (ctx) => imports.list(ctx));
export const importAll = Runner(imports, async (ctx, args, run) => {
  run.progress(0.5, "half");
  if (true) await new Promise(() => {});
});

export const placed = Topic<{ order: string }>("order-placed");
export const one = Subscribe(placed, (ctx, { order }, { id }) => done.put(ctx, { id: id + "-1", what: "one of " + order }).then(() => {}));
const two = Subscribe(placed, (ctx, { order }, { id }) => done.put(ctx, { id: id + "-2", what: "two of " + order }).then(() => {}));
export const place = API("POST /orders", (ctx) => transaction(ctx, async (tx) => {
  await placed.publish(tx, { order: "o1" });
  return {};
}));

export const digest = Cron("digest", "0 7 * * 1", (ctx) => done.create(ctx, { what: "digest" }).then(() => {}));
export const broken = Cron("broken", "every 24h", () => { throw new Error("the printer burns"); });
export const rebuild = Job<{ since: Date; shard: Int }>("rebuild");
export const rebuildShard = Runner(rebuild, (ctx, { since }, { task, tasks }) =>
  done.create(ctx, { what: \`rebuilt \${task + 1} of \${tasks} since \${since.toISOString()}\` }).then(() => {}), { tasks: 2 });
`,
};

function post(dev: Dev, path: string, body: object = {}): Promise<Response> {
  return fetch(`http://127.0.0.1:${dev.port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
}

test("a queue's worker and every subscriber of a topic run beside the requests", async () => {
  await using dev = await startDev(shop);
  await post(dev, "/mail", { to: "ada" });
  await post(dev, "/orders");
  const lines = JSON.stringify(["mail to ada of 1970", "one of o1", "two of o1"]);
  await dev.eventually("/done", ({ body }) => body === lines);
});

test("a message that was being handled when everything was killed is delivered by the next server, and a replaced one is not", async () => {
  const root = writeApplication(shop);
  await using first = launchDev(root, []);
  await first.says("http://localhost:");
  await post(first, "/mail", { to: "stuck" });
  await post(first, "/import");
  await first.eventually("/imports", ({ body }) => body.includes(`"note":"half"`));
  for (const version of [1, 2, 3]) await post(first, "/remind", { version });
  await post(first, "/mail", { to: "ada" });
  await first.eventually("/done", ({ body }) => body.includes("ada"));
  const children = descendants(first.process.pid ?? 0);
  first.process.kill("SIGKILL");
  await first.exited;
  await allGone(children);
  await using second = launchDev(root, []);
  second.write({ "shop/shop.ts": shop["shop/shop.ts"].replace(/email.to === "stuck"|true(?=\) await)/g, "false") });
  const stuck = "mail to stuck of 1970";
  await second.eventually("/done", ({ body }) => body.includes(stuck) && body.includes("reminder 3"));
  await second.eventually("/imports", ({ body }) => body.includes(`"state":"done"`) && body.includes(`"attempts":2`));
  // Messages are delivered in the order of their due times, so replaced ones would have arrived first.
  const done = await (await fetch(`http://127.0.0.1:${second.port}/done`)).text();
  expect(done).not.toMatch(/reminder [12]/);
});

test("fw run cron runs a cron now: in the dev server, and without one", async () => {
  await using dev = await startDev(shop);
  expect(await fw(dev.root, "run", "cron", "digest")).toEqual({ code: 0, out: "the cron digest ran\n", err: "" });
  await dev.eventually("/done", ({ body }) => body === '["digest"]');
  const failed = await fw(dev.root, "run", "cron", "broken");
  expect(failed).toMatchObject({ code: 1, out: "" });
  expect(dev.output()).toContain("the printer burns");
  expect(await fw(dev.root, "run", "cron", "digset")).toMatchObject({
    code: 2,
    err: `fw: there is no cron "digset": the crons are "broken" and "digest"; did you mean "digest"?\n`,
  });
  dev.process.kill("SIGTERM");
  await dev.exited;
  expect(await fw(dev.root, "run", "cron", "digest")).toMatchObject({ code: 0, out: "the cron digest ran\n" });
});

test("fw run job starts a job with its arguments, and without a dev server waits for its tasks", async () => {
  const root = writeApplication(shop);
  const ran = await fw(root, "run", "job", "rebuild", `{ "since": "2026-01-02T03:04:05Z", "shard": 1 }`);
  expect(ran).toMatchObject({ code: 0, err: "" });
  expect(ran.out).toMatch(/^the run [0-9a-f-]{36} of rebuild is over\n$/m);
  expect(await fw(root, "run", "job", "rebuild", `{ "since": 1 }`)).toMatchObject({ code: 2 });
  await using dev = launchDev(root, []);
  const since = "2026-01-02T03:04:05.000Z";
  const lines = JSON.stringify([`rebuilt 1 of 2 since ${since}`, `rebuilt 2 of 2 since ${since}`]);
  await dev.eventually("/done", ({ body }) => body === lines);
  expect(await fw(root, "run", "job", "rebuild")).toMatchObject({
    code: 2,
    err: `fw: the job "rebuild" takes arguments: add them as JSON, fw run job rebuild '{ … }'\n`,
  });
});

test("dead messages are listed and replayed, while the dev server runs and while it does not", async () => {
  const root = writeApplication(shop);
  await using dev = launchDev(root, []);
  await dev.says("http://localhost:");
  await post(dev, "/mail", { to: "bad" });
  await dev.says("attempt=5");
  const deadList = await fw(root, "dead", "list");
  expect(deadList.out).toMatch(/ shop-sendEmail {2}\S+ {2}after 5 attempts: no such mailbox\n$/);
  const before = dev.output().length;
  expect(await fw(root, "dead", "replay", "--all")).toMatchObject({ code: 0, out: "1 message was resent\n" });
  await dev.says("attempt=5", before);
  dev.process.kill("SIGTERM");
  await dev.exited;
  const [dead] = JSON.parse((await fw(root, "dead", "list", "--json")).out) as [{ id: string; body: string }];
  expect(JSON.parse(dead.body)).toEqual({ to: "bad", at: "1970-01-01T00:00:00.000Z" });
  expect(await fw(root, "dead", "replay", dead.id)).toMatchObject({ code: 0 });
  expect(await fw(root, "dead", "list")).toMatchObject({ out: "there are no dead messages\n" });
  await using mended = launchDev(root, []);
  mended.write({ ".env": "FW_TEST_MENDED=1\n" });
  await mended.eventually("/done", ({ body }) => body === '["mail to bad of 1970"]');
});
