import { expect, test } from "vitest";
import type { Package } from "../../model/app.ts";
import { consumersOf, destinationsOf, ofKind } from "../../model/declarations.ts";
import { useAppBench } from "../testing/app-bench.ts";

const bench = useAppBench();

/** Lists the declarations of an application with one module. */
async function read(text: string) {
  const { app, diagnostics } = await bench.analyze(`-- mail/mail.ts --\n${text}`);
  expect(diagnostics).toEqual([]);
  const [pkg] = app.packages as [Package];
  return {
    buckets: ofKind(pkg, "bucket"),
    destinations: destinationsOf(pkg),
    consumers: consumersOf(pkg),
    crons: ofKind(pkg, "cron"),
    singletons: ofKind(pkg, "singleton"),
  };
}

test("a queue, its worker and a topic's subscriber have their types and their delivery", async () => {
  const { destinations, consumers } = await read(`
import { Queue, Subscribe, Topic, Worker, type Int, type Int64 } from "fw";
interface Email { to: string; tries?: Int; at: Date; size: Int64 }
const emails = Queue<Email>("emails");
export const sent = Topic<{ to: string }>("email-sent");
export const sendEmail = Worker(emails, async () => {}, { maxAttempts: 5, minBackoff: "1s", maxBackoff: "1m", rateLimit: 2.5 });
export const count = Subscribe(sent, async () => {});
`);
  expect(destinations).toMatchObject([
    { kind: "queue", name: "emails", declaration: { variable: "emails", exported: false }, message: { kind: "ref" } },
    { kind: "topic", name: "email-sent", message: { kind: "object", fields: [{ name: "to" }] } },
  ]);
  expect(consumers).toMatchObject([
    {
      kind: "worker",
      service: "mail-sendEmail",
      source: { kind: "queue", name: "emails" },
      delivery: { maxAttempts: 5, minBackoff: 1000, maxBackoff: 60_000, rateLimit: 2.5, deadline: 600_000 },
    },
    {
      kind: "subscribe",
      service: "mail-count",
      source: { kind: "topic", name: "email-sent" },
      delivery: { maxAttempts: 10, minBackoff: 10_000, maxBackoff: 600_000, deadline: 600_000 },
    },
  ]);
});

test("a subscriber names what happens to a bucket, to accounts, or a message that died", async () => {
  const { buckets, consumers } = await read(`
import { Auth, Bucket, Queue, Subscribe, Topic, Worker } from "fw";
export const photos = Bucket("photos");
export const auth = Auth({ password: true });
export const emails = Queue<string>("emails");
export const sent = Topic<string>("sent");
export const send = Worker(emails, () => {});
export const a = Subscribe(photos.uploaded, () => {});
export const b = Subscribe(auth.registered, () => {});
export const c = Subscribe(auth.firstSignIn, () => {});
export const d = Subscribe(emails.dead, () => {});
export const e = Subscribe(sent["dead"], () => {});
const uploads = photos.uploaded;
export const f = Subscribe(uploads, () => {});
`);
  expect(buckets).toMatchObject([{ name: "photos" }]);
  expect(consumers.slice(1).map(({ source }) => `${source.kind} ${source.name}`)).toEqual([
    "event bucket.uploaded:photos",
    "event auth.registered",
    "event auth.first-sign-in",
    "event dead.queue:emails",
    "event dead.topic:sent",
    "event bucket.uploaded:photos",
  ]);
});

test("a source may come from another module, renamed, re-exported or in a namespace", async () => {
  const { app, diagnostics } = await bench.analyze(`
-- lib/queues.ts --
import { Bucket, Queue, Topic } from "fw";
export const emails = Queue<string>("emails");
export const sent = Topic<string>("sent");
export const photos = Bucket("photos");
-- lib/index.ts --
export { emails as mails } from "./queues.ts";
export * from "./queues.ts";
-- work/work.ts --
import { Subscribe, Worker } from "fw";
import { mails as letters } from "../lib/index.ts";
import * as lib from "../lib/index.ts";
export const send = Worker(letters, () => {});
export const count = Subscribe(lib.sent, () => {});
export const resize = Subscribe(lib.photos.uploaded, () => {});
`);
  expect(diagnostics).toEqual([]);
  const work = app.packages.find(({ name }) => name === "work");
  expect(work && consumersOf(work).map(({ source }) => source.name)).toEqual([
    "emails",
    "sent",
    "bucket.uploaded:photos",
  ]);
});

test("a job has the arguments of its type, and a runner the tries, tasks and time of its config", async () => {
  const { destinations, consumers } = await read(`
import { Job, Runner } from "fw";
export const rebuild = Job<{ since: Date }>("rebuild");
export const sweep = Job("sweep");
export const sweepAll = Job<void>("sweep-all");
export const a = Runner(rebuild, () => {}, { attempts: 0, tasks: 8, timeout: "1h" });
export const b = Runner(sweep, () => {});
export const c = Runner(sweepAll, () => {});
`);
  expect(destinations.map(({ message }) => message.kind)).toEqual(["object", "void", "void"]);
  expect(consumers).toMatchObject([
    { source: { kind: "job", name: "rebuild" }, tasks: 8, delivery: { maxAttempts: 1, deadline: 3_600_000 } },
    { source: { name: "sweep" }, tasks: 1, delivery: { maxAttempts: 4, minBackoff: 10_000, deadline: 600_000 } },
    { source: { name: "sweep-all" } },
  ]);
});

test("a cron has five fields, a zone and a deadline, and a singleton its service", async () => {
  const { crons, singletons } = await read(`
import { Cron, Singleton } from "fw";
export const digest = Cron("digest", "0 7 * * mon", () => {}, { timezone: "Europe/Zurich", deadline: "5m" });
export const sweep = Cron("sweep", "every 15m", () => {});
export const relay = Singleton("relay", () => {});
`);
  expect(crons).toMatchObject([
    { name: "digest", schedule: "0 7 * * 1", timezone: "Europe/Zurich", deadline: 300_000 },
    { name: "sweep", schedule: "*/15 * * * *", timezone: "UTC", deadline: 180_000 },
  ]);
  expect(singletons).toMatchObject([{ name: "relay", service: "mail-relay" }]);
});

test("the type of a message may stand on the constant, which TypeScript is asked for", async () => {
  const { destinations } = await read(`
import { Queue, Topic, type QueueDeclaration, type TopicDeclaration } from "fw";
interface Email { to: string }
export const emails: QueueDeclaration<Email> = Queue("emails");
export const sent: TopicDeclaration<string[]> = Topic("sent");
`);
  expect(destinations.map(({ message }) => message.kind)).toEqual(["object", "array"]);
});
