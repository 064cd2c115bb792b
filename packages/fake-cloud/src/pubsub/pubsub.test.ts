import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { member, project, testCloud, type Answer } from "../testing/client.ts";
import { testService } from "../testing/service.ts";

const api = "https://pubsub.googleapis.com/v1/projects/demo-fw";
const admin = "admin@x";
const pusher = "push@demo-fw.iam.gserviceaccount.com";
const agent = "serviceAccount:service-123456789012@gcp-sa-pubsub.iam.gserviceaccount.com";
const accounts = "//iam.googleapis.com/projects/demo-fw/serviceAccounts";
let cloud: Awaited<ReturnType<typeof testCloud>>;

beforeEach(async () => {
  cloud = await testCloud();
  cloud.grant(`user:${admin}`, "roles/owner", project);
  cloud.grant(
    `serviceAccount:${member}`,
    "roles/pubsub.publisher",
    "//pubsub.googleapis.com/projects/demo-fw/topics/orders",
  );
  for (const topic of ["orders", "orders-dead"])
    await cloud.ask(`${api}/topics/${topic}`, { method: "PUT", as: admin, body: {} });
});
afterEach(() => cloud.stop());

const publish = (text: string, attributes = {}): Promise<Answer> =>
  cloud.ask(`${api}/topics/orders:publish`, {
    as: member,
    body: { messages: [{ data: Buffer.from(text).toString("base64"), attributes }] },
  });
const subscribe = (name: string, config: object): Promise<Answer> =>
  cloud.ask(`${api}/subscriptions/${name}`, {
    method: "PUT",
    as: admin,
    body: { topic: "projects/demo-fw/topics/orders", ...config },
  });
const pull = async (
  name: string,
): Promise<{ ackId: string; deliveryAttempt?: number; message: { data: string; attributes?: object } }[]> =>
  (
    (await cloud.ask(`${api}/subscriptions/${name}:pull`, { as: admin, body: { maxMessages: 10 } })).json as {
      receivedMessages?: [];
    }
  ).receivedMessages ?? [];
const textOf = ({ message }: { message: { data: string } }): string => Buffer.from(message.data, "base64").toString();

describe("a subscription that is pulled", () => {
  test("hands a message out until it is acknowledged", async () => {
    await subscribe("held", { ackDeadlineSeconds: 10 });
    await publish("first");
    await cloud.clock.settled();
    const [one] = await pull("held");
    expect(one && textOf(one)).toBe("first");
    expect(await pull("held")).toEqual([]);
    await cloud.clock.advance(10_000);
    const [again] = await pull("held");
    await cloud.ask(`${api}/subscriptions/held:modifyAckDeadline`, {
      as: admin,
      body: { ackIds: [again!.ackId], ackDeadlineSeconds: 0 },
    });
    await cloud.clock.settled();
    const [third] = await pull("held");
    await cloud.ask(`${api}/subscriptions/held:acknowledge`, { as: admin, body: { ackIds: [third!.ackId] } });
    await cloud.clock.advance(600_000);
    expect(await pull("held")).toEqual([]);
  });
});

describe("a subscription that pushes", () => {
  const pushConfig = {
    pushEndpoint: "https://mail-123456789012.europe-west1.run.app/_fw/api/push",
    oidcToken: { serviceAccountEmail: pusher, audience: "https://mail-123456789012.europe-west1.run.app" },
  };

  function allow(): void {
    cloud.grant(agent, "roles/iam.serviceAccountOpenIdTokenCreator", `${accounts}/${pusher}`);
    cloud.grant(`serviceAccount:${pusher}`, "roles/run.invoker", cloud.cloud.services.resource("mail"));
  }

  test("sends the envelope with a token of its account, whose signature the service does not see", async () => {
    const service = await testService();
    cloud.run({ name: "mail", serviceAccount: member, url: service.url, public: false });
    allow();
    await subscribe("mail", { pushConfig });
    const { messageIds } = (await publish("hello", { a: "b" })).json as { messageIds: string[] };
    await cloud.clock.settled();
    const [push] = service.received;
    expect([push?.method, push?.url]).toEqual(["POST", "/_fw/api/push"]);
    expect(push?.json).toEqual({
      subscription: "projects/demo-fw/subscriptions/mail",
      message: {
        data: Buffer.from("hello").toString("base64"),
        attributes: { a: "b" },
        messageId: messageIds[0],
        message_id: messageIds[0],
        publishTime: expect.any(String),
        publish_time: expect.any(String),
      },
    });
    const [, claims = "", signature] = push!.headers.authorization!.split(".");
    expect(signature).toBe("SIGNATURE_REMOVED_BY_GOOGLE");
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({
      email: pusher,
      aud: pushConfig.oidcToken.audience,
    });
    service.stop();
  });

  test("does not reach the service while any of the grants is missing", async () => {
    const service = await testService();
    cloud.run({ name: "mail", serviceAccount: member, url: service.url, public: false });
    await subscribe("mail", { pushConfig });
    await publish("hello");
    await cloud.clock.advance(60_000);
    cloud.grant(agent, "roles/iam.serviceAccountOpenIdTokenCreator", `${accounts}/${pusher}`);
    await cloud.clock.advance(60_000);
    expect(service.received).toEqual([]);
    cloud.grant(`serviceAccount:${pusher}`, "roles/run.invoker", cloud.cloud.services.resource("mail"));
    await cloud.clock.advance(60_000);
    expect(service.received).toHaveLength(1);
    service.stop();
  });

  test("waits longer each time, and gives a message to the topic of the dead after so many attempts", async () => {
    const service = await testService(() => 500);
    cloud.run({ name: "mail", serviceAccount: member, url: service.url, public: false });
    allow();
    const deadLetterPolicy = { deadLetterTopic: "projects/demo-fw/topics/orders-dead", maxDeliveryAttempts: 5 };
    await subscribe("mail", {
      pushConfig,
      deadLetterPolicy,
      retryPolicy: { minimumBackoff: "1s", maximumBackoff: "4s" },
    });
    await subscribe("mail-dead-hold", { topic: "projects/demo-fw/topics/orders-dead" });
    await publish("hello", { a: "b" });
    const counts: number[] = [];
    for (const pause of [0, 999, 1, 2000, 4000, 4000, 4000]) {
      await cloud.clock.advance(pause);
      counts.push(service.received.length);
    }
    expect(counts).toEqual([1, 1, 2, 3, 4, 5, 6]);
    expect(service.received.map(({ json }) => (json as { deliveryAttempt: number }).deliveryAttempt)).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
    // Pub/Sub needs these grants to publish the message to the dead-letter topic and remove it from the subscription.
    cloud.grant(agent, "roles/pubsub.publisher", "//pubsub.googleapis.com/projects/demo-fw/topics/orders-dead");
    cloud.grant(agent, "roles/pubsub.subscriber", "//pubsub.googleapis.com/projects/demo-fw/subscriptions/mail");
    await cloud.clock.advance(60_000);
    const [dead] = await pull("mail-dead-hold");
    expect(dead?.message.attributes).toMatchObject({
      a: "b",
      CloudPubSubDeadLetterSourceSubscription: "mail",
      CloudPubSubDeadLetterSourceSubscriptionProject: "demo-fw",
    });
    service.stop();
  });

  test("brings messages twice and in another order, the same for the same seed", async () => {
    const orders: string[][] = [];
    for (const _ of [1, 2]) {
      await using other = await testCloud({ start: 0, seed: 7 });
      const service = await testService();
      other.grant(`user:${admin}`, "roles/owner", project);
      other.faults.duplicates = 0.3;
      other.faults.reordering = 0.5;
      await other.ask(`${api}/topics/orders`, { method: "PUT", as: admin, body: {} });
      await other.ask(`${api}/subscriptions/mail`, {
        method: "PUT",
        as: admin,
        body: { topic: "projects/demo-fw/topics/orders", pushConfig: { pushEndpoint: service.url } },
      });
      const messages = Array.from({ length: 20 }, (_, at) => ({ attributes: { at: String(at) } }));
      await other.ask(`${api}/topics/orders:publish`, { as: admin, body: { messages } });
      await other.clock.advance(2000);
      orders.push(
        service.received
          .map(({ json }) => (json as { message: { attributes: { at: string } } }).message.attributes.at)
          .toSorted(),
      );
      service.stop();
    }
    expect(orders[0]!.length).toBeGreaterThan(20);
    expect(new Set(orders[0]).size).toBe(20);
    expect(orders[1]).toEqual(orders[0]);
  });
});

test("what may not be is refused: names, limits, what is there already, what is not there", async () => {
  const refusalOf = async (answer: Promise<Answer>): Promise<string> => {
    const { error } = (await answer).json as { error: { code: number; status: string; message: string } };
    return `${error.code} ${error.status} ${error.message}`;
  };
  expect(await refusalOf(cloud.ask(`${api}/topics/or`, { method: "PUT", as: admin, body: {} }))).toContain(
    "400 INVALID_ARGUMENT Invalid resource name given (name=projects/demo-fw/topics/or).",
  );
  expect(await refusalOf(cloud.ask(`${api}/topics/orders`, { method: "PUT", as: admin, body: {} }))).toBe(
    "409 ALREADY_EXISTS Resource already exists in the project (resource=orders).",
  );
  expect(await refusalOf(cloud.ask(`${api}/topics/nothing`, { as: admin }))).toBe(
    "404 NOT_FOUND Resource not found (resource=nothing).",
  );
  expect(await refusalOf(cloud.ask(`${api}/topics/orders`, { as: member }))).toBe(
    "403 PERMISSION_DENIED User not authorized to perform this action.",
  );
  expect(
    await refusalOf(cloud.ask(`${api}/topics/orders:publish`, { as: member, body: { messages: [{}] } })),
  ).toContain("One or more messages in the publish request is empty.");
  const deadLetterPolicy = { deadLetterTopic: "projects/demo-fw/topics/orders-dead", maxDeliveryAttempts: 3 };
  expect(await refusalOf(subscribe("mail", { deadLetterPolicy }))).toContain("400 OUT_OF_RANGE");
  expect(await refusalOf(subscribe("mail", { retryPolicy: { maximumBackoff: "601s" } }))).toContain(
    "400 INVALID_ARGUMENT",
  );
  expect(await refusalOf(subscribe("mail", { ackDeadlineSeconds: 9 }))).toContain("400 INVALID_ARGUMENT");
});

test("an upload is told to the topic of its bucket, once Cloud Storage may publish there", async () => {
  const storage = "https://storage.googleapis.com";
  const topic = "//pubsub.googleapis.com/projects/demo-fw/topics/orders";
  await cloud.ask(`${storage}/storage/v1/b?project=demo-fw`, { as: admin, body: { name: "boats" } });
  await subscribe("uploads", {});
  const body = { topic, payload_format: "JSON_API_V1", event_types: ["OBJECT_FINALIZE"] };
  expect((await cloud.ask(`${storage}/storage/v1/b/boats/notificationConfigs`, { as: admin, body })).status).toBe(403);
  const { email_address } = (await cloud.ask(`${storage}/storage/v1/projects/demo-fw/serviceAccount`, { as: admin }))
    .json as { email_address: string };
  cloud.grant(`serviceAccount:${email_address}`, "roles/pubsub.publisher", topic);
  expect((await cloud.ask(`${storage}/storage/v1/b/boats/notificationConfigs`, { as: admin, body })).status).toBe(200);
  const url = `${storage}/upload/storage/v1/b/boats/o?uploadType=media&name=a.txt`;
  const reply = (await cloud.ask(url, { as: admin, body: "x", headers: { "content-type": "text/plain" } })).json;
  await cloud.clock.settled();
  const [event] = await pull("uploads");
  expect(JSON.parse(textOf(event!))).toEqual(reply);
  expect(event!.message.attributes).toMatchObject({
    bucketId: "boats",
    objectId: "a.txt",
    eventType: "OBJECT_FINALIZE",
    payloadFormat: "JSON_API_V1",
  });
});
