import { describe, expect, test } from "vitest";
import { unknownReason } from "../../message-names.ts";
import type { Consumer, Delivery, DeliveryPolicy } from "../../messages.ts";
import { SteppedClock } from "../../stepped-clock.ts";
import { encodeRun } from "../../task.ts";
import { failure } from "../../testing/conformance/fixture.ts";
import { openGcp } from "../open.ts";
import { jobName, queueName, serviceName, topicName } from "../names.ts";
import { onFake, type OnFake } from "../testing/fake.ts";
import type { Mishap, Mishaps } from "../testing/faulty-proxy.ts";
import { PushedDispatcher } from "../testing/pushed-dispatcher.ts";
import { CloudMessages } from "./messages.ts";
import type { SentMessage } from "./sent-message.ts";

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const emails = { kind: "queue", name: "emails" } as const;
const placed = { kind: "topic", name: "order-placed" } as const;
const rebuild = { kind: "job", name: "rebuild" } as const;
const policy: DeliveryPolicy = {
  maxAttempts: 5,
  minBackoff: 1_000,
  maxBackoff: 60_000,
  deadline: 10_000,
  concurrency: 16,
};
const consumers: readonly Consumer[] = [
  { id: "mail-send", destination: emails, delivery: policy },
  { id: "shop-bill", destination: placed, delivery: policy },
  { id: "shop-lost", destination: { kind: "event", name: "dead.topic:order-placed" }, delivery: policy },
];

interface Sending extends OnFake {
  readonly clock: SteppedClock;
  readonly messages: CloudMessages;
  readonly dispatcher: PushedDispatcher;
  readonly deliveries: Delivery[];
}

async function sending(mishaps?: Mishaps): Promise<Sending> {
  const clock = new SteppedClock();
  const on = await onFake(clock, mishaps);
  const parts = { ...on, definitions: { kinds: [], consumers } };
  const dispatcher = await PushedDispatcher.open(on, parts);
  const deliveries: Delivery[] = [];
  dispatcher.deliver(async (delivery) => void deliveries.push(delivery));
  return { ...on, clock, messages: new CloudMessages(parts), dispatcher, deliveries };
}

function idsOf(deliveries: readonly Delivery[], consumer: string): string[] {
  return deliveries.filter((delivery) => delivery.consumer === consumer).map(({ id }) => id);
}

describe("while the cloud fails", () => {
  const mishaps = ["429", "503", "503 after", "reset before", "reset after"] as const;

  test("a message is sent, to a queue once and to a topic under one id", async () => {
    let mishap: Mishap | undefined;
    const once = (): Mishap | undefined => {
      const now = mishap;
      mishap = undefined;
      return now;
    };
    const { messages, dispatcher, deliveries } = await sending(({ url }) =>
      /\/tasks$|:publish$/.test(url.pathname) ? once() : undefined,
    );
    const sentBodies: string[][] = [[], []];
    for (const each of mishaps)
      for (const [i, destination] of [emails, placed].entries()) {
        mishap = each;
        sentBodies[i]?.push(await messages.send(destination, { body: "1" }));
        expect(mishap).toBeUndefined();
      }
    await dispatcher.idle();
    expect(idsOf(deliveries, "mail-send").toSorted()).toEqual(sentBodies[0]?.toSorted());
    const billed = idsOf(deliveries, "shop-bill");
    expect([...new Set(billed)].toSorted()).toEqual(sentBodies[1]?.toSorted());
    // A publish is repeated if its response is lost.
    expect(billed).toHaveLength(mishaps.length + 2);
  });

  test("a message of a transaction whose carrier is down comes when it is up again, as it was sent", async () => {
    let down = true;
    const on = await sending(({ url }) => (down && url.pathname.endsWith(":publish") ? "503" : undefined));
    const { fake, account, place, cloud, clock, dispatcher, deliveries } = on;
    fake.grant(`serviceAccount:${account}`, "roles/datastore.user");
    const { entities, outbox } = await openGcp(place, { kinds: [], consumers }, cloud);
    const sweeping = { destinations: [placed], tell: () => {} };
    const transaction = await entities.begin();
    const id = transaction.send(placed, { body: "1", traceparent });
    await transaction.commit();
    await dispatcher.idle();
    expect(deliveries).toEqual([]);
    down = false;
    await clock.advance(60_000);
    expect(await outbox.sweep(sweeping)).toBe(1);
    await dispatcher.idle();
    expect(deliveries).toMatchObject([{ consumer: "shop-bill", id, body: "1", traceparent }]);
    expect(await outbox.sweep(sweeping)).toBe(0);
  });

  test("messages that come twice and in another order all come, and their ids tell them apart", async () => {
    const { messages, dispatcher, deliveries, fake } = await sending();
    fake.faults.duplicates = 0.5;
    fake.faults.reordering = 0.5;
    const sentBodies = await Promise.all(Array.from({ length: 20 }, (_, i) => messages.send(placed, { body: `${i}` })));
    await dispatcher.idle({ all: true });
    const billed = idsOf(deliveries, "shop-bill");
    expect(billed.length).toBeGreaterThan(20);
    expect([...new Set(billed)].toSorted()).toEqual(sentBodies.toSorted());
  });

  test("what its service never answers is a dead letter, whose reason is not known", async () => {
    const { messages, dispatcher, deliveries, fake, place } = await sending();
    const bill = serviceName(place, "shop-bill");
    fake.run({ name: bill, serviceAccount: "x@y.iam.gserviceaccount.com", url: "http://127.0.0.1:1", public: false });
    const id = await messages.send(placed, { body: `{"n":9007199254740993}` });
    await dispatcher.idle({ all: true });
    expect(await dispatcher.dead()).toMatchObject([{ id, consumer: "shop-bill", attempts: 5, reason: unknownReason }]);
    const told = `{"id":"${id}","message":{"n":9007199254740993},"attempts":5,"reason":"${unknownReason}"}`;
    expect(deliveries.map(({ consumer, body }) => [consumer, body])).toEqual([["shop-lost", told]]);
  });

  test("a service takes nothing that another account brings", async () => {
    const { messages, dispatcher, deliveries, fake, place, deploy } = await sending();
    const thief = `thief@${place.project}.iam.gserviceaccount.com`;
    const service = fake.cloud.services.resource(serviceName(place, "shop-bill"));
    fake.grant(`serviceAccount:${thief}`, "roles/run.invoker", service);
    const audience = fake.cloud.services.url(serviceName(place, "shop-bill"));
    await deploy("pubsub", "PUT", `/v1/projects/${place.project}/subscriptions/stolen`, {
      topic: `projects/${place.project}/topics/${topicName(place, placed)}`,
      pushConfig: { pushEndpoint: `${audience}/_fw/api/push`, oidcToken: { serviceAccountEmail: thief, audience } },
    });
    fake.grant(
      `serviceAccount:${fake.cloud.agent("gcp-sa-pubsub")}`,
      "roles/iam.serviceAccountOpenIdTokenCreator",
      `//iam.googleapis.com/projects/${place.project}/serviceAccounts/${thief}`,
    );
    await messages.send(placed, { body: "1" });
    await dispatcher.idle();
    expect(deliveries).toHaveLength(1);
    expect(dispatcher.refused).toEqual([`the caller is "${thief}"`]);
  });
});

test("the cloud waits for a worker as long as its longest timeout", async () => {
  const { messages, deploy, place } = await sending();
  await messages.send(emails, { body: "1", delay: 60_000 });
  const queue = `projects/${place.project}/locations/${place.region}/queues/${queueName(place, emails.name)}`;
  const answer = await deploy("cloudtasks", "GET", `/v2/${queue}/tasks`);
  expect(answer).toMatchObject({ tasks: [{ dispatchDeadline: "1800s" }] });
});

describe("a job", () => {
  test("is one execution with all its tasks, each with the arguments of the start", async () => {
    const { messages, fake, place, account } = await sending();
    const started: Readonly<Record<string, string>>[] = [];
    const name = jobName(place, "rebuild");
    fake.runJob({ name, serviceAccount: account, start: async ({ env }) => started.push(env) > 0 });
    fake.grant(`serviceAccount:${account}`, "roles/run.jobsExecutorWithOverrides");
    const run = encodeRun({ run: "r", tasks: 3, args: `{"since":9007199254740993}` });
    await messages.send(rebuild, { body: run });
    await fake.clock.settled();
    expect(started.map((env) => env["CLOUD_RUN_TASK_INDEX"]).toSorted()).toEqual(["0", "1", "2"]);
    expect(started[2]).toMatchObject({ CLOUD_RUN_TASK_COUNT: "3", FW_RUN: run });
  });

  test("has no arguments that its environment could not hold", async () => {
    const { messages } = await sending();
    const args = JSON.stringify("x".repeat(32_000));
    await expect(messages.send(rebuild, { body: encodeRun({ run: "r", tasks: 1, args }) })).rejects.toThrow(
      "over the cloud's limit of 32000",
    );
  });
});

test("the trace of who sends goes along", async () => {
  const { messages, dispatcher, deliveries } = await sending();
  for (const destination of [emails, placed]) await messages.send(destination, { body: "1", traceparent });
  await dispatcher.idle();
  expect(deliveries.map((delivery) => delivery.traceparent)).toEqual([traceparent, traceparent]);
});

test("only a queue delays what it is sent", async () => {
  const { messages } = await sending();
  expect(await failure(() => messages.send(placed, { body: "1", delay: 1_000 }))).toBe("message");
});

test("closed messages are not sent", async () => {
  const { messages } = await sending();
  messages.close();
  expect(await failure(() => messages.send(placed, { body: "1" }))).toBe("closed");
});

test("a message that is posted twice is one task of its queue, at whatever time", async () => {
  const { messages, dispatcher, deliveries, clock } = await sending();
  const now = new Date(clock.now());
  const message: SentMessage = { id: "one", destination: emails, body: "1", sent: now, due: now, traceparent };
  await messages.post(message);
  await clock.advance(1_000);
  await messages.post(message);
  await dispatcher.idle();
  expect(idsOf(deliveries, "mail-send")).toEqual(["one"]);
});
