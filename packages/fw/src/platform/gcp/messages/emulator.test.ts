import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { hasEmulator, startEmulator } from "../../../../../fake-cloud/src/testing/google-emulators.ts";
import { readPush, type IncomingPush } from "../../../runtime/background/envelope.ts";
import type { Consumer } from "../../messages.ts";
import { connectCloud } from "../cloud.ts";
import { deadHoldName, deadTopicName, subscriptionName, topicName } from "../names.ts";
import type { CloudLocation } from "../cloud-location.ts";
import { CloudDeadLetters } from "./dead-letters.ts";
import { HeldDeadLetters } from "./retained-dead-letters.ts";
import { CloudMessages } from "./messages.ts";

const placed = { kind: "topic", name: "order-placed" } as const;
const delivery = { maxAttempts: 5, minBackoff: 1_000, maxBackoff: 60_000, deadline: 10_000, concurrency: 1 };
const bill: Consumer = { id: "shop-bill", destination: placed, delivery };
const place: CloudLocation = {
  app: "shop",
  env: "test",
  service: "shop-app",
  project: "demo-fw",
  projectNumber: "123456789012",
  region: "europe-west1",
  database: "shop-test",
};

test.skipIf(!hasEmulator("pubsub"))(
  "Google's emulator of Pub/Sub pushes, holds dead letters and gives them out (skipped where the Google Cloud CLI has not installed it)",
  async () => {
    const emulator = await startEmulator("pubsub");
    onTestFinished(emulator.stop);
    const cloud = connectCloud({ PUBSUB_EMULATOR_HOST: new URL(emulator.url).host });
    onTestFinished(() => cloud.connections.close());
    const make = (path: string, body: object): Promise<unknown> =>
      cloud.client.call({ api: "pubsub", method: "PUT", path: `/v1/projects/demo-fw/${path}`, body });
    const topic = topicName(place, placed);
    for (const name of [topic, deadTopicName(place, bill.id)]) await make(`topics/${name}`, {});
    await make(`subscriptions/${deadHoldName(place, bill.id)}`, {
      topic: `projects/demo-fw/topics/${deadTopicName(place, bill.id)}`,
      ackDeadlineSeconds: 60,
    });
    const came: IncomingPush[] = [];
    await make(`subscriptions/${subscriptionName(topic, bill.id)}`, {
      topic: `projects/demo-fw/topics/${topic}`,
      pushConfig: { pushEndpoint: await pushedTo(came) },
    });
    const parts = { cloud, place, definitions: { kinds: [], consumers: [bill] } };

    const id = await new CloudMessages(parts).send(placed, { body: `{"n":9007199254740993}` });
    await expect.poll(() => came).toMatchObject([{ id, body: `{"n":9007199254740993}`, attempt: 1 }]);

    const dead = {
      id,
      consumer: bill.id,
      destination: placed,
      attempts: 5,
      body: "1",
      sent: new Date(1000),
      reason: "é\u{10ffff} no",
    };
    await new CloudDeadLetters(parts).add(dead);
    const retained = new HeldDeadLetters(parts);
    await expect.poll(() => retained.dead()).toMatchObject([dead]);
    expect(await retained.replay(bill.id, "other")).toBe(false);
    await expect.poll(() => retained.replay(bill.id, id)).toBe(true);
    await expect.poll(() => came.length).toBe(2);
    expect(came[1]).toMatchObject({ id, body: "1", attributes: { "x-fw-to": bill.id } });
    expect(came[1]?.attributes).not.toHaveProperty("x-fw-reason");
    expect(await retained.dead()).toEqual([]);
  },
  60_000,
);

/** Starts a server that accepts and records pushes, and returns its URL. */
async function pushedTo(came: IncomingPush[]): Promise<string> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const pushed = readPush({ header: (name) => request.headers[name]?.toString() }, body);
      if (pushed !== undefined) came.push(pushed);
      return response.writeHead(pushed === undefined ? 400 : 204).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
