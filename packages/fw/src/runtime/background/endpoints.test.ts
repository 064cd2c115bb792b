import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Bucket } from "../../declare/bucket.ts";
import { Cron } from "../../declare/cron.ts";
import type { DeliveryInfo } from "../../declare/delivery.ts";
import type { EventSource } from "../../declare/event.ts";
import { Queue } from "../../declare/queue.ts";
import { Subscribe } from "../../declare/subscribe.ts";
import { Worker } from "../../declare/worker.ts";
import { CallVerifier } from "../../platform/call-verifier.ts";
import { systemClock } from "../../platform/clock.ts";
import type { Platform } from "../../platform/contract.ts";
import { DeliveryLost } from "../../platform/deadline.ts";
import { PlatformError } from "../../platform/errors.ts";
import type { DyingMessage } from "../../platform/messages.ts";
import type { Bundle } from "../bundle.ts";
import type { CallerVerifier } from "./authenticate-platform.ts";
import type { BackgroundContext } from "./context.ts";
import { newTestCallKeys } from "../../platform/testing/call-keys.ts";
import { bundleOf, start, type TestApp } from "../testing/app.ts";
import { destination, cron, subscriber, worker } from "../testing/background.ts";

const [pusher, somebody] = [newTestCallKeys(), newTestCallKeys()];
const call = { audience: "web-sendEmail", invoker: "pusher" };
const verifier = new CallVerifier(call.audience, { pusher: pusher.publicKey, somebody: somebody.publicKey });
const caller: CallerVerifier = {
  ...call,
  verify: async (token) => verifier.refusal(token, call.invoker, Date.now()),
};
const bearer = (changed: Partial<typeof call> = {}, ms = 60_000, keys = pusher): string =>
  `Bearer ${keys.mint({ ...call, ...changed }, Date.now() + ms)}`;

const emails = Queue<{ to: string }>("emails");

interface Handled {
  readonly message: unknown;
  readonly delivery: DeliveryInfo;
}

interface Serving extends TestApp {
  readonly handled: Handled[];
  readonly push: (body: unknown, headers?: Record<string, string>) => Promise<Response>;
}

async function serving(more: Partial<Bundle> = {}, ports: Partial<Platform> = {}): Promise<Serving> {
  const handled: Handled[] = [];
  const sendEmail = Worker(emails, (_ctx, message, delivery) => {
    handled.push({ message, delivery });
    if (message.to === "bad") throw new Error("no such mailbox");
  });
  const bundle = { ...bundleOf([]), destinations: [destination(emails)], consumers: [worker(sendEmail)], ...more };
  // No message has a key.
  const entities = { get: async () => undefined };
  const platform = { clock: systemClock, entities, ...ports } as unknown as Platform;
  const app = await start(bundle, { caller, platform });
  onTestFinished(() => app.close());
  const push: Serving["push"] = (body, headers = { authorization: bearer() }) =>
    fetch(`${app.url}/_fw/api/push`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { ...app, handled, push };
}

function envelope(message: unknown, more: object = {}, attributes?: Readonly<Record<string, string>>): object {
  const data = Buffer.from(JSON.stringify(message)).toString("base64");
  const publishTime = "2026-11-21T10:00:00Z";
  return {
    message: { data, messageId: "m-1", publishTime, ...(attributes && { attributes }) },
    subscription: "projects/p/subscriptions/s",
    ...more,
  };
}

describe("POST /_fw/api/push", () => {
  test("delivers a push of Pub/Sub and acknowledges it", async () => {
    const { push, handled } = await serving();
    const response = await push(envelope({ to: "ada" }, { deliveryAttempt: 3 }));
    expect(response.status).toBe(204);
    expect(handled).toEqual([{ message: { to: "ada" }, delivery: { id: "m-1", attempt: 3 } }]);
  });

  test("delivers a task of Cloud Tasks, whose body is the message", async () => {
    const { push, handled } = await serving();
    const headers = { authorization: bearer(), "x-cloudtasks-taskname": "t-9", "x-cloudtasks-taskretrycount": "2" };
    expect((await push({ to: "ada" }, headers)).status).toBe(204);
    expect(handled).toEqual([{ message: { to: "ada" }, delivery: { id: "t-9", attempt: 3 } }]);
  });

  test("answers 500 to what its handler fails on, so that it comes again, and says nothing of why", async () => {
    const { push, logs } = await serving();
    const response = await push(envelope({ to: "bad" }));
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain("mailbox");
    expect(logs).toMatchObject([{ level: "error", message: "the handler failed" }]);
  });

  test.each([
    ["without a token", {}, "the request has no token"],
    ["of another kind", { authorization: "Basic YTpi" }, "the Authorization header has no bearer token"],
    ["malformed", { authorization: "Bearer abc" }, "the token is malformed"],
    [
      "signed by somebody else",
      { authorization: bearer({}, 60_000, somebody) },
      "the token is not signed by a known caller",
    ],
    [
      "for another service",
      { authorization: bearer({ audience: "web-other" }) },
      `the token's audience is "web-other"`,
    ],
    [
      "of another caller",
      { authorization: bearer({ invoker: "somebody" }, 60_000, somebody) },
      `the caller is "somebody"`,
    ],
    ["that has expired", { authorization: bearer({}, -1) }, "the token has expired"],
  ])(
    "refuses a delivery %s with 403, and logs handler, status, reason, expected audience and invoker",
    async (_what, headers, reason) => {
      const { push, handled, logs } = await serving();
      const response = await push(envelope({ to: "ada" }), headers);
      expect(response.status).toBe(403);
      expect(await response.json()).toEqual({ error: "only the platform may call this address" });
      expect(handled).toEqual([]);
      expect(logs).toMatchObject([
        {
          level: "warn",
          tags: { handler: "workerOfemails" },
          fields: {
            status: 403,
            reason,
            expected_audience: "web-sendEmail",
            expected_invoker: "pusher",
          },
        },
      ]);
    },
  );

  test("a message keeps its id whatever whoever brings it names it, and the instant at which it was sent", async () => {
    const { push, handled } = await serving();
    const names = { "x-fw-id": "id-1", "x-fw-sent": "2026-11-21T10:00:00.000Z" };
    const task = { authorization: bearer(), "x-cloudtasks-taskname": "other", ...names };
    expect((await push({ to: "ada" }, task)).status).toBe(204);
    expect((await push(envelope({ to: "ada" }, {}, names))).status).toBe(204);
    expect(handled.map(({ delivery }) => delivery)).toEqual([
      { id: "id-1", attempt: 1 },
      { id: "id-1", attempt: 1 },
    ]);
  });

  test("a copy that is for another consumer is acknowledged and not handled", async () => {
    const { push, handled } = await serving();
    expect((await push(envelope({ to: "ada" }, {}, { "x-fw-to": "web-other" }))).status).toBe(204);
    expect(handled).toEqual([]);
    expect((await push(envelope({ to: "ada" }, {}, { "x-fw-to": "web-workerOfemails" }))).status).toBe(204);
    expect(handled).toHaveLength(1);
  });

  test.each(["", "{", "null", "[]", `{"message":{}}`, `{"message":{"data":1,"messageId":"m"}}`, `{"message":null}`])(
    "refuses what is no push: %j",
    async (body) => {
      const { push, handled } = await serving();
      expect((await push(body)).status).toBe(400);
      expect(handled).toEqual([]);
    },
  );

  test("ends the operations of a handler whose pusher has disconnected: another delivery may have begun", async () => {
    const contexts: BackgroundContext[] = [];
    const wait = Worker(emails, async (ctx) => {
      contexts.push(ctx as BackgroundContext);
      await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
    });
    const { url } = await serving({ consumers: [worker(wait)] });
    const leaving = new AbortController();
    const headers = { authorization: bearer(), "content-type": "application/json" };
    const body = JSON.stringify(envelope({ to: "ada" }));
    const pushed = fetch(`${url}/_fw/api/push`, { method: "POST", headers, body, signal: leaving.signal });
    await expect.poll(() => contexts.length).toBe(1);
    const [ctx] = contexts as [BackgroundContext];
    expect(ctx.lifetime.isOver).toBe(false);
    leaving.abort();
    await expect(pushed).rejects.toThrow("aborted");
    await expect.poll(() => ctx.lifetime.isOver).toBe(true);
    expect(ctx.lifetime.signal.reason).toEqual(new DeliveryLost());
  });

  test("takes 512 KiB at most", async () => {
    const { push } = await serving();
    expect((await push(envelope({ to: "a".repeat(512 * 1024) }))).status).toBe(413);
  });

  test("is there only where something receives", async () => {
    const app = await start(bundleOf([]), { caller });
    onTestFinished(() => app.close());
    const response = await fetch(`${app.url}/_fw/api/push`, { method: "POST", headers: { authorization: bearer() } });
    expect(response.status).toBe(404);
  });
});

describe("a message whose attempts only fw counts", () => {
  const dead: DyingMessage[] = [];
  const misfits: DyingMessage[] = [];
  const deadLetters = {
    add: async (message: DyingMessage) => void dead.push(message),
    setAside: async (message: DyingMessage) => void misfits.push(message),
  };
  const last = { deliveryAttempt: 5 };
  beforeEach(() => void dead.splice(0));

  test("is dead after its last attempt, with its error, and acknowledged", async () => {
    const { push, handled } = await serving({}, { deadLetters });
    expect((await push(envelope({ to: "bad" }, { deliveryAttempt: 4 }))).status).toBe(500);
    expect(dead).toEqual([]);
    const task = { authorization: bearer(), "x-cloudtasks-taskname": "t", "x-cloudtasks-taskretrycount": "4" };
    for (const pushed of [push(envelope({ to: "bad" }, last)), push({ to: "bad" }, task)])
      expect((await pushed).status).toBe(204);
    const deadHeaders = {
      consumer: "web-workerOfemails",
      destination: { kind: "queue", name: "emails" },
      body: `{"to":"bad"}`,
      attempts: 5,
      reason: "no such mailbox",
    };
    expect(dead).toMatchObject([
      { id: "m-1", ...deadHeaders },
      { id: "t", ...deadHeaders },
    ]);
    expect(handled).toHaveLength(3);
  });

  test("is handled at its last attempt where that succeeds", async () => {
    const { push } = await serving({}, { deadLetters });
    expect((await push(envelope({ to: "ada" }, last))).status).toBe(204);
    expect(dead).toEqual([]);
  });

  test("is dead without being handled where its last attempt was not answered", async () => {
    const { push, handled } = await serving({}, { deadLetters });
    expect((await push(envelope({ to: "ada" }, { deliveryAttempt: 6 }))).status).toBe(204);
    expect(handled).toEqual([]);
    expect(dead).toMatchObject([{ attempts: 5, reason: expect.stringMatching(/^unknown: /) as string }]);
  });

  test("comes again where it could not be kept as dead", async () => {
    const broken = { ...deadLetters, add: () => Promise.reject(new Error("no such topic")) };
    const { push } = await serving({}, { deadLetters: broken });
    expect((await push(envelope({ to: "bad" }, last))).status).toBe(500);
  });
});

describe("a subscriber's payload of the cloud's own events", () => {
  async function subscribed(
    source: EventSource<never>,
    more: Partial<Bundle> = {},
  ): Promise<Serving & { got: unknown[] }> {
    const got: unknown[] = [];
    const seen = Subscribe(source as EventSource<unknown>, (_ctx, event) => void got.push(event));
    return { ...(await serving({ consumers: [subscriber("seen", seen)], ...more })), got };
  }

  test("is the object that was written, and nothing where one was deleted", async () => {
    const photos = Bucket("photos");
    const buckets = [{ declaration: photos, name: "photos" }];
    const { push, got } = await subscribed(photos.uploaded as EventSource<never>, { buckets });
    const object = { name: "a/b.png", size: "9", contentType: "image/png", updated: "2026-11-21T10:00:00.123Z" };
    const about = (eventType: string) => ({ eventType, payloadFormat: "JSON_API_V1", objectId: "a/b.png" });
    expect((await push(envelope(object, {}, about("OBJECT_DELETE")))).status).toBe(204);
    expect((await push(envelope(object, {}, about("OBJECT_FINALIZE")))).status).toBe(204);
    const updated = new Date("2026-11-21T10:00:00.123Z");
    expect(got).toEqual([{ key: "a/b.png", size: 9, contentType: "image/png", updated }]);
  });

  test("is a dead letter with its reason, or that the reason is not known where Pub/Sub gave the message up", async () => {
    const { push, got } = await subscribed(emails.dead as EventSource<never>);
    const deadHeaders = { "x-fw-id": "m", "x-fw-attempts": "7", "x-fw-reason": 'no "mailbox"' };
    expect((await push(envelope({ to: "bad" }, {}, deadHeaders))).status).toBe(204);
    const givenUp = { "x-fw-id": "n", CloudPubSubDeadLetterSourceDeliveryCount: "5" };
    expect((await push(envelope({ to: "ada" }, {}, givenUp))).status).toBe(204);
    expect(got).toEqual([
      { id: "m", message: { to: "bad" }, attempts: 7, reason: 'no "mailbox"' },
      { id: "n", message: { to: "ada" }, attempts: 5, reason: expect.stringMatching(/^unknown: /) as string },
    ]);
  });
});

describe("POST /_fw/api/cron/{cron}", () => {
  async function withCron(handler: () => void): Promise<TestApp> {
    return serving({ crons: [cron(Cron("digest", "0 7 * * 1", handler))] });
  }
  const trigger = (app: TestApp, name: string, authorization?: string): Promise<Response> =>
    fetch(`${app.url}/_fw/api/cron/${name}`, { method: "POST", headers: authorization ? { authorization } : {} });

  test("runs the cron", async () => {
    let ran = 0;
    const app = await withCron(() => void ran++);
    expect((await trigger(app, "digest", bearer())).status).toBe(204);
    expect(ran).toBe(1);
  });

  test("runs a tick once that the cloud's scheduler triggers twice", async () => {
    let ran = 0;
    const ticks = new Set<string>();
    const insert = async ({ id }: { readonly id: string }): Promise<void> => {
      if (ticks.has(id)) throw new PlatformError("exists", "it is there");
      ticks.add(id);
    };
    const crons = { crons: [cron(Cron("digest", "0 7 * * 1", () => void ran++))] };
    const app = await serving(crons, { entities: { insert } as unknown as Platform["entities"] });
    const at = (tick: string): Promise<Response> =>
      fetch(`${app.url}/_fw/api/cron/digest`, {
        method: "POST",
        headers: { authorization: bearer(), "x-cloudscheduler-scheduletime": tick },
      });
    for (const tick of ["2026-11-23T07:00:00Z", "2026-11-23T07:00:00Z", "2026-11-30T07:00:00Z"])
      expect((await at(tick)).status).toBe(204);
    expect(ran).toBe(2);
  });

  test("answers 500 when the cron fails", async () => {
    const app = await withCron(() => {
      throw new Error("no");
    });
    expect((await trigger(app, "digest", bearer())).status).toBe(500);
    expect(app.logs).toMatchObject([{ message: "the cron failed", tags: { cron: "digest" } }]);
  });

  test("refuses others with 403, and logs why", async () => {
    let ran = 0;
    const app = await withCron(() => void ran++);
    expect((await trigger(app, "digest")).status).toBe(403);
    expect(ran).toBe(0);
    expect(app.logs).toMatchObject([{ tags: { handler: "digest" }, fields: { reason: "the request has no token" } }]);
  });

  test("knows the declared crons only", async () => {
    const app = await withCron(() => {});
    expect((await trigger(app, "other", bearer())).status).toBe(404);
  });
});
