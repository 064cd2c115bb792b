import { afterEach, beforeEach, expect, test } from "vitest";
import { member, project, testCloud, type Answer } from "../testing/client.ts";
import { testService } from "../testing/service.ts";

const place = "projects/demo-fw/locations/europe-west1";
const api = "https://cloudtasks.googleapis.com/v2";
const queue = `${place}/queues/mails`;
const pusher = "push@demo-fw.iam.gserviceaccount.com";
const admin = "admin@x";
let cloud: Awaited<ReturnType<typeof testCloud>>;
let service: Awaited<ReturnType<typeof testService>>;
let status: number;

beforeEach(async () => {
  cloud = await testCloud();
  status = 200;
  service = await testService(() => status);
  cloud.run({ name: "mails", serviceAccount: member, url: service.url, public: false });
  cloud.grant(`user:${admin}`, "roles/owner", project);
  cloud.grant(`serviceAccount:${member}`, "roles/cloudtasks.enqueuer", `//cloudtasks.googleapis.com/${queue}`);
  cloud.grant(`serviceAccount:${pusher}`, "roles/run.invoker", cloud.cloud.services.resource("mails"));
});
afterEach(async () => {
  service.stop();
  await cloud.stop();
});

const audience = "https://mails-123456789012.europe-west1.run.app";
const httpTarget = {
  uriOverride: {
    scheme: "HTTPS",
    host: audience.slice(8),
    pathOverride: { path: "/_fw/api/push" },
    uriOverrideEnforceMode: "ALWAYS",
  },
  httpMethod: "POST",
  oidcToken: { serviceAccountEmail: pusher, audience },
};
const create = (config: object = {}): Promise<Answer> =>
  cloud.ask(`${api}/${place}/queues`, { as: admin, body: { name: queue, httpTarget, ...config } });
const enqueue = (task: object = {}): Promise<Answer> =>
  cloud.ask(`${api}/${queue}/tasks`, {
    as: member,
    body: {
      task: {
        httpRequest: {
          url: "https://queue/",
          body: Buffer.from("{}").toString("base64"),
          headers: { "content-type": "application/json" },
        },
        ...task,
      },
    },
  });
const errorOf = ({ json }: Answer): { code: number; status: string; message: string } =>
  (json as { error: never }).error;

test("a task is sent where its queue says, with the queue's token and the headers of Cloud Tasks", async () => {
  await create();
  expect((await enqueue({ name: `${queue}/tasks/one` })).status).toBe(200);
  await cloud.clock.settled();
  const [request] = service.received;
  expect([request?.method, request?.url, request?.body]).toEqual(["POST", "/_fw/api/push", "{}"]);
  expect(request?.headers).toMatchObject({
    host: audience.slice(8),
    "content-type": "application/json",
    "x-cloudtasks-queuename": "mails",
    "x-cloudtasks-taskname": "one",
    "x-cloudtasks-taskretrycount": "0",
  });
  expect(request?.headers.authorization).toMatch(/^Bearer .*SIGNATURE_REMOVED_BY_GOOGLE$/);
});

test("a task waits for its time", async () => {
  await create();
  await enqueue({ scheduleTime: new Date(cloud.clock.now() + 60_000).toISOString() });
  await cloud.clock.advance(59_999);
  expect(service.received).toHaveLength(0);
  await cloud.clock.advance(1);
  expect(service.received).toHaveLength(1);
});

test("a task that is refused is sent again, later each time, up to its last attempt", async () => {
  status = 500;
  await create({ retryConfig: { maxAttempts: 4, minBackoff: "1s", maxBackoff: "10s", maxDoublings: 1 } });
  await enqueue();
  const counts: number[] = [];
  for (const pause of [0, 1000, 1999, 1, 4000, 60_000]) {
    await cloud.clock.advance(pause);
    counts.push(service.received.length);
  }
  expect(counts).toEqual([1, 2, 2, 3, 4, 4]);
  expect(service.received.at(-1)?.headers).toMatchObject({
    "x-cloudtasks-taskretrycount": "3",
    "x-cloudtasks-taskpreviousresponse": "500",
  });
});

test("a name is given once: while the task is there, and for an hour after", async () => {
  await create();
  const name = `${queue}/tasks/once`;
  await enqueue({ name, scheduleTime: new Date(cloud.clock.now() + 1000).toISOString() });
  expect(errorOf(await enqueue({ name }))).toMatchObject({ code: 409, status: "ALREADY_EXISTS" });
  await cloud.clock.advance(1000);
  expect(errorOf(await enqueue({ name })).message).toContain("existed too recently");
  await cloud.clock.advance(3_600_000);
  expect((await enqueue({ name })).status).toBe(200);
});

test("a queue keeps its pace", async () => {
  await create({ rateLimits: { maxDispatchesPerSecond: 2, maxConcurrentDispatches: 1 } });
  for (let at = 0; at < 5; at++) await enqueue();
  await cloud.clock.settled();
  expect(service.received).toHaveLength(1);
  await cloud.clock.advance(1000);
  expect(service.received).toHaveLength(3);
  await cloud.clock.advance(1000);
  expect(service.received).toHaveLength(5);
});

test("the name of a deleted queue looks free for three days and is not", async () => {
  await create();
  await cloud.ask(`${api}/${queue}`, { method: "DELETE", as: admin });
  expect((await create()).status).toBe(200);
  expect((await cloud.ask(`${api}/${queue}`, { as: admin })).status).toBe(404);
  await cloud.clock.advance(3 * 86_400_000);
  await create();
  expect((await cloud.ask(`${api}/${queue}`, { as: admin })).status).toBe(200);
});

test("who enqueues needs that right; a token of the task's own needs the right to act as its account, too", async () => {
  await create();
  const oidcToken = { serviceAccountEmail: pusher };
  const task = { httpRequest: { url: audience, oidcToken } };
  expect(errorOf(await enqueue(task)).message).toContain("iam.serviceAccounts.actAs");
  expect(errorOf(await cloud.ask(`${api}/${queue}/tasks`, { as: pusher, body: { task: {} } })).message).toContain(
    "cloudtasks.tasks.create",
  );
});

test("a task that becomes due while its queue is paused is sent when the queue is resumed", async () => {
  await create();
  await enqueue({ scheduleTime: new Date(cloud.clock.now() + 30_000).toISOString() });
  await cloud.ask(`${api}/${queue}:pause`, { as: admin, body: {} });
  await cloud.clock.advance(60_000);
  expect(service.received).toHaveLength(0);
  await cloud.ask(`${api}/${queue}:resume`, { as: admin, body: {} });
  await cloud.clock.settled();
  expect(service.received).toHaveLength(1);
});

test("a queue that is paused keeps its tasks until it is resumed", async () => {
  await create();
  await cloud.ask(`${api}/${queue}:pause`, { as: admin, body: {} });
  await enqueue();
  await cloud.clock.advance(60_000);
  expect(service.received).toHaveLength(0);
  await cloud.ask(`${api}/${queue}:resume`, { as: admin, body: {} });
  await cloud.clock.settled();
  expect(service.received).toHaveLength(1);
});
