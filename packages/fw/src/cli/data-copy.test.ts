import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { writeApp } from "../analysis/testing/app.ts";
import { queueName } from "../platform/gcp/names.ts";
import { openGcp } from "../platform/gcp/open.ts";
import { makeBucket, onFake } from "../platform/gcp/testing/fake.ts";
import { LocalMessageTransfer } from "../platform/local/messages/message-transfer.ts";
import { openLocal } from "../platform/local/open.ts";
import { hasPostgres, startServer, type TestServer } from "../platform/postgres/testing/server.ts";
import { runKind, runKinds } from "../runtime/background/kinds.ts";
import { checkedApp } from "./checked-app.ts";
import { openServed, type DatabaseSettings, type ServedData } from "./serve/data.ts";
import { fw, fwIn, fwWith } from "./testing/run.ts";
import { shopDefinitions, shopSource } from "./testing/shop.ts";

let app: Awaited<ReturnType<typeof writeApp>>;
let place: string;
beforeAll(async () => {
  app = await writeApp(shopSource);
  place = mkdtempSync(join(tmpdir(), "fw-data-copy-"));
  await fwWith(["a good password"], app.root, "users", "create", "ada@example.com", "--password");
  const platform = await openLocal(join(app.root, ".fw/data"), shopDefinitions);
  await platform.entities.upsert({ kind: "orders", id: "a" }, { id: "a", total: 3 });
  await platform.objects.put("receipts", "a", new Blob(["paid"]).stream(), { contentType: "text/plain" });
  await platform.close();
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  rmSync(place, { recursive: true });
});

/** Opens data as `fw serve` does. */
async function serving(data: string, database?: DatabaseSettings): Promise<ServedData> {
  const reports = { warn: () => {}, note: () => {} };
  const settings = { data, ...(database && { database }) };
  return openServed(settings, await checkedApp(app.root), reports, { env: {}, signal: AbortSignal.timeout(60_000) });
}

const counts = "1 documents, 1 objects and 1 accounts";

describe("between directories", () => {
  test("fw data copy copies, compares with --final, and then leaves the target alone", async () => {
    const to = join(place, "copy");
    expect(await fw(app.root, "data", "copy", ".fw/data", to)).toEqual({
      code: 0,
      out: `${counts}: 3 written, 0 deleted\n`,
      err: "",
    });
    const { code, out } = await fw(app.root, "data", "copy", ".fw/data", to, "--final");
    expect([code, out.split("\n").slice(1, -1)]).toEqual([
      0,
      [
        expect.stringMatching(/^documents of orders {2}1 {2}[0-9a-f]{64}$/),
        expect.stringMatching(/^documents of _fw_seen {2}0 {2}/),
        expect.stringMatching(/^objects of receipts {2}1 {2}/),
        expect.stringMatching(/^accounts {2}1 {2}/),
        expect.stringMatching(/^messages {2}0 {2}/),
        expect.stringMatching(/^dead messages {2}0 {2}/),
        "both stores have the same data; the copy is complete",
      ],
    ]);
    const again = await fw(app.root, "data", "copy", ".fw/data", to);
    expect(again).toEqual({
      code: 2,
      out: "",
      err: "fw: the target has data already: a copy needs a store without data\n",
    });
    const copied = await openLocal(to, shopDefinitions);
    onTestFinished(() => copied.close());
    expect(await copied.accounts.checkPassword("ada@example.com", "a good password")).toBeDefined();
    expect((await fw(app.root, "check-data", "--data", to)).err).toContain("stop it first");
  });

  test("fw serve refuses a copy that is not complete", async () => {
    const to = join(place, "unfinished");
    await fw(app.root, "data", "copy", ".fw/data", to);
    const copied = `this data is an unfinished copy of shop in ${app.root}/.fw/data: complete it with`;
    await expect(serving(to)).rejects.toThrow(copied);
    await fw(app.root, "data", "copy", ".fw/data", to, "--final");
    await (await serving(to)).close();
  });

  test.each([
    [[".fw/data", ".fw/data"], "the two stores are the same"],
    [["nowhere", "other"], "has no data"],
    [
      [".fw/data", "mysql://db/notes"],
      "a store is a directory, postgres://… or google://project/env, not mysql://db/notes",
    ],
    [[".fw/data", "google://Acme"], "a deployed application is google://project/env"],
    [[".fw/data", "postgres://127.0.0.1:1/notes"], "missing --from-objects, --to-objects or FW_OBJECTS"],
  ])("refuses %j in a sentence", async (argv, sentence) => {
    expect(await fw(app.root, "data", "copy", ...argv)).toMatchObject({
      code: 2,
      err: expect.stringContaining(sentence) as unknown,
    });
  });
});

describe("to PostgreSQL and back", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());

  test("the data is the same", async () => {
    const database = server.address("copied");
    const objects = ["--to-objects", join(place, "objects")];
    await fw(app.root, "data", "copy", ".fw/data", database, ...objects);
    const settings = { address: database, services: undefined, objects: join(place, "objects") };
    await expect(serving(join(place, "machine"), settings)).rejects.toThrow(
      "this data is an unfinished copy of shop in",
    );
    expect(await fw(app.root, "data", "copy", ".fw/data", database, ...objects, "--final")).toMatchObject({ code: 0 });
    const back = join(place, "back");
    const fromObjects = ["--from-objects", join(place, "objects")];
    const { code, out } = await fw(app.root, "data", "copy", database, back, ...fromObjects, "--final");
    expect([code, out]).toEqual([0, expect.stringContaining(`${counts}: 3 written, 0 deleted\n`)]);
    await (await serving(join(place, "machine"), settings)).close();
    const copied = await openLocal(back, shopDefinitions);
    onTestFinished(() => copied.close());
    expect((await copied.entities.get({ kind: "orders", id: "a" }))?.fields).toEqual({ id: "a", total: 3 });
    expect(await copied.accounts.checkPassword("ada@example.com", "a good password")).toBeDefined();
  });
});

test("to Google Cloud, everything but passwords is the same", async () => {
  const on = await onFake();
  await makeBucket(on, "receipts");
  const owner = `owner@${on.place.project}.iam.gserviceaccount.com`;
  on.fake.grant(`serviceAccount:${owner}`, "roles/owner");
  const env = await on.fake.envOf(owner);
  const to = `google://${on.place.project}/test?region=${on.place.region}`;
  const { code, out, err } = await fwIn(env, [], app.root, "data", "copy", ".fw/data", to, "--final");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("both stores have the same data; the copy is complete");
  expect(out).toContain("1 accounts have a password that this run could not copy");
});

describe("messages that wait", () => {
  const mails = { kind: "queue", name: "mails" } as const;
  const source = `${shopSource}
import { Queue, Worker } from "fw";
export const mails = Queue<{ to: string }>("mails");
export const send = Worker(mails, async () => {});
`;

  test("move between directories in the last run, unless they are left behind", async () => {
    await using own = await writeApp(source);
    const data = join(own.root, ".fw/data");
    const from = await openLocal(data, shopDefinitions);
    await from.messages.send(mails, { body: '{"to":"ada"}', delay: 60_000 });
    await from.close();
    const [to, other] = [join(place, "moved"), join(place, "left")];
    const { code, out } = await fw(own.root, "data", "copy", data, to, "--final");
    expect([code, out]).toEqual([0, expect.stringMatching(/^messages {2}1 {2}[0-9a-f]{64}$/m)]);
    expect(await waitingIn(to)).toEqual(["queue:mails"]);
    expect((await fw(own.root, "data", "copy", data, other, "--final", "--leave-messages")).code).toBe(0);
    expect(await waitingIn(other)).toEqual([]);
    expect(await waitingIn(data)).toEqual(["queue:mails"]);
  });

  test("are data of a target, even if they are dead", async () => {
    const to = join(place, "dead");
    const target = await openLocal(to, shopDefinitions);
    const moment = new Date(5);
    const dead = { consumer: "send", id: "one", body: "{}", sent: moment, died: moment, attempts: 1, reason: "no" };
    await new LocalMessageTransfer(target.store).addDead([{ ...dead, destination: mails, position: 1 }]);
    await target.close();
    const copied = await fw(app.root, "data", "copy", ".fw/data", to, "--final");
    expect(copied).toMatchObject({ code: 2, err: expect.stringContaining("the target has data already") as unknown });
    const after = await openLocal(to, shopDefinitions);
    onTestFinished(() => after.close());
    expect(await after.dispatcher.deadCount()).toBe(1);
  });

  test("of a job move with the record of its run, which says whether it was cancelled", async () => {
    await using own = await writeApp(`${shopSource}
import { Job, Runner } from "fw";
export const tidy = Job("tidy", { history: "30d" });
export const runTidy = Runner(tidy, async () => {});
`);
    const data = join(own.root, ".fw/data");
    const definitions = { ...shopDefinitions, kinds: [...shopDefinitions.kinds, ...runKinds] };
    const from = await openLocal(data, definitions);
    const fields = { job: "tidy", order: "tidy 1", requestedAt: 1, cancelledAt: 2, tasks: [] };
    await from.entities.upsert({ kind: runKind, id: "one" }, fields);
    await from.close();
    expect(await fw(own.root, "data", "copy", data, join(place, "runs"), "--final")).toMatchObject({ code: 0 });
    const to = await openLocal(join(place, "runs"), definitions);
    onTestFinished(() => to.close());
    expect((await to.entities.get({ kind: runKind, id: "one" }))?.fields).toEqual(fields);
  });

  test("are counted and keep a copy to or from Google Cloud from its end, until they are left behind", async () => {
    await using own = await writeApp(source);
    const data = join(own.root, ".fw/data");
    const from = await openLocal(data, shopDefinitions);
    await from.messages.send(mails, { body: '{"to":"ada"}', delay: 60_000 });
    await from.close();
    const on = await onFake();
    await makeBucket(on, "receipts");
    const queues = `projects/${on.place.project}/locations/${on.place.region}/queues`;
    await on.deploy("cloudtasks", "POST", `/v2/${queues}`, { name: `${queues}/${queueName(on.place, mails.name)}` });
    on.fake.grant(`serviceAccount:${on.account}`, "roles/owner");
    const owner = `owner@${on.place.project}.iam.gserviceaccount.com`;
    on.fake.grant(`serviceAccount:${owner}`, "roles/owner");
    const env = await on.fake.envOf(owner);
    const cloud = `google://${on.place.project}/test?region=${on.place.region}`;
    const copy = (...args: readonly string[]) => fwIn(env, [], own.root, "data", "copy", ...args, "--final");
    const refusal = { code: 2, err: expect.stringContaining("  queue:mails  1\n") as unknown };
    expect(await copy(data, cloud)).toMatchObject(refusal);
    expect(await copy(data, cloud, "--leave-messages")).toMatchObject({ code: 0 });
    const platform = await openGcp(on.place, shopDefinitions, on.cloud);
    onTestFinished(() => platform.close());
    await platform.messages.send(mails, { body: '{"to":"bob"}', delay: 60_000 });
    expect(await copy(cloud, join(place, "home"))).toMatchObject(refusal);
    expect(await copy(cloud, join(place, "home"), "--leave-messages")).toMatchObject({ code: 0 });
  });
});

async function waitingIn(directory: string): Promise<readonly string[]> {
  const platform = await openLocal(directory, shopDefinitions);
  try {
    const backlog = await platform.dispatcher.backlog();
    return backlog.flatMap(({ destination, messages }) => (messages > 0 ? [destination] : []));
  } finally {
    await platform.close();
  }
}
