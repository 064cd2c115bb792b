import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { project, testCloud } from "../testing/client.ts";
import { withEmulator, startEmulator } from "../testing/google-emulators.ts";
import { testService } from "../testing/service.ts";

/** The result of a step, without the parts that vary with time. */
interface Step {
  readonly status: number;
  readonly body: unknown;
}

describe.skipIf(!withEmulator("pubsub"))(
  "beside Google's emulator (skipped without FW_GOOGLE=1, and where the Google Cloud CLI has not installed it)",
  () => {
    let google: Awaited<ReturnType<typeof startEmulator>>;
    let cloud: Awaited<ReturnType<typeof testCloud>>;
    beforeAll(async () => {
      [google, cloud] = await Promise.all([startEmulator("pubsub"), testCloud({})]);
      cloud.grant("user:admin@x", "roles/owner", project);
    });
    afterAll(async () => {
      google.stop();
      await cloud.stop();
    });

    const place = "/v1/projects/demo-fw";
    const topic = "projects/demo-fw/topics/orders";

    async function theirs(method: string, path: string, body: object | undefined): Promise<Step> {
      const response = await fetch(`${google.url}${place}${path}`, {
        method,
        ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
      });
      return { status: response.status, body: await response.json() };
    }

    async function ours(method: string, path: string, body: object | undefined): Promise<Step> {
      const { status, json } = await cloud.ask(`https://pubsub.googleapis.com${place}${path}`, {
        method,
        as: "admin@x",
        body,
      });
      return { status, body: json };
    }

    test("a topic, a subscription and their messages go the same way, and so do their refusals", async () => {
      const steps: [string, string, object?][] = [
        ["PUT", "/topics/orders", {}],
        ["PUT", "/topics/orders", {}],
        ["PUT", "/topics/or", {}],
        ["GET", "/topics/orders"],
        ["GET", "/topics/nothing"],
        ["PUT", "/subscriptions/held", { topic, ackDeadlineSeconds: 20 }],
        ["PUT", "/subscriptions/held", { topic, ackDeadlineSeconds: 20 }],
        ["PUT", "/subscriptions/lost", { topic: "projects/demo-fw/topics/nothing" }],
        ["PUT", "/subscriptions/few", { topic, deadLetterPolicy: { deadLetterTopic: topic, maxDeliveryAttempts: 4 } }],
        ["POST", "/topics/orders:publish", { messages: [] }],
        ["POST", "/topics/orders:publish", { messages: [{}] }],
        ["POST", "/topics/nothing:publish", { messages: [{ data: "eA==" }] }],
        ["POST", "/topics/orders:publish", { messages: [{ data: "eA==", attributes: { a: "b" } }, { data: "eQ==" }] }],
        ["POST", "/subscriptions/nothing:pull", { maxMessages: 1, returnImmediately: true }],
        ["GET", "/topics/orders/subscriptions"],
        ["POST", "/topics/orders:publish", { messages: [{ data: "eA==", color: "red" }] }],
        ["DELETE", "/subscriptions/nothing"],
      ];
      for (const [method, path, body] of steps) {
        const [expected, is] = [await theirs(method, path, body), await ours(method, path, body)];
        expect(comparable(is), `${method} ${path} ${JSON.stringify(body)}`).toEqual(comparable(expected));
      }
    });

    test("what is pulled has the same form, comes once while it is held, and not again once it is acknowledged", async () => {
      const answers: unknown[] = [];
      for (const ask of [theirs, ours]) {
        await ask("PUT", "/topics/pulled", {});
        await ask("PUT", "/subscriptions/pulling", { topic: "projects/demo-fw/topics/pulled" });
        await ask("POST", "/topics/pulled:publish", { messages: [{ data: "eA==", attributes: { a: "b" } }] });
        const pull = async (): Promise<Received[]> => {
          const { body } = await ask("POST", "/subscriptions/pulling:pull", {
            maxMessages: 5,
            returnImmediately: true,
          });
          return (body as { receivedMessages?: Received[] }).receivedMessages ?? [];
        };
        const first: Received[] = [];
        await expect.poll(async () => first.push(...(await pull()))).toBeGreaterThan(0);
        const held = await pull();
        const ackIds = first.map(({ ackId }) => ackId);
        const { status } = await ask("POST", "/subscriptions/pulling:acknowledge", { ackIds });
        answers.push([first.map(({ message }) => form(message)), held, status, await pull()]);
      }
      expect(answers[1]).toEqual(answers[0]);
    });

    test("a push has the same envelope", async () => {
      const answers: unknown[] = [];
      for (const ask of [theirs, ours]) {
        const service = await testService();
        await ask("PUT", "/topics/pushed", {});
        await ask("PUT", "/subscriptions/pushing", {
          topic: "projects/demo-fw/topics/pushed",
          pushConfig: { pushEndpoint: `${service.url}/_fw/api/push` },
        });
        await ask("POST", "/topics/pushed:publish", { messages: [{ data: "eA==", attributes: { a: "b" } }] });
        await expect.poll(() => service.received.length).toBe(1);
        const { message, ...rest } = service.received[0]!.json as { message: object };
        answers.push([service.received[0]!.method, service.received[0]!.url, form(message), rest]);
        service.stop();
      }
      expect(answers[1]).toEqual(answers[0]);
    });
  },
);

interface Received {
  readonly ackId: string;
  readonly message: object;
}

/** Replaces ids and publish times, which vary, by the names of their types. */
function form(message: object): unknown {
  const changing = /^(?:message_?[iI]d|publish_?[tT]ime)$/;
  return Object.fromEntries(
    Object.entries(message).map(([name, value]) => [name, changing.test(name) ? typeof value : (value as unknown)]),
  );
}

/**
 * Reduces a response to the parts that are equal in the emulator and the service; error messages, for example, differ.
 */
function comparable({ status, body }: Step): unknown {
  const { error, name, messageIds, subscriptions } = body as {
    error?: { status: string };
    name?: string;
    messageIds?: string[];
    subscriptions?: string[];
  };
  return { status, error: error?.status, name, messages: messageIds?.length, subscriptions };
}
