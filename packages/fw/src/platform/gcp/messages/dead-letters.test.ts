import { expect, test } from "vitest";
import { messageNames } from "../../message-names.ts";
import type { Cloud } from "../cloud.ts";
import { CloudDeadLetters } from "./dead-letters.ts";
import { HeldDeadLetters } from "./retained-dead-letters.ts";

const place = {
  app: "shop",
  env: "test",
  service: "mail",
  project: "p",
  projectNumber: "1",
  region: "r",
  database: "d",
};

/** Publishes a dead letter and returns the reason that it carries. */
async function publishedReason(reason: string): Promise<string | undefined> {
  const bodies: { readonly messages: readonly { readonly attributes: Readonly<Record<string, string>> }[] }[] = [];
  const client = { call: async ({ body }: { readonly body: (typeof bodies)[number] }) => void bodies.push(body) };
  await new CloudDeadLetters({ cloud: { client } as unknown as Cloud, place }).add({
    id: "one",
    consumer: "mail-send",
    attempts: 3,
    body: "1",
    sent: new Date(0),
    destination: { kind: "queue", name: "emails" },
    reason,
  });
  return bodies[0]?.messages[0]?.attributes[messageNames.reason];
}

test.each([
  ["1,024 letters are whole", "x".repeat(1_024), "x".repeat(1_024)],
  ["of 1,025 letters the last one is left out", "x".repeat(1_025), "x".repeat(1_024)],
  ["two bytes that end at the bound are whole", `${"é".repeat(512)}x`, "é".repeat(512)],
  ["two bytes across the bound are left out", `x${"é".repeat(512)}`, `x${"é".repeat(511)}`],
  ["three bytes across the bound are left out", "€".repeat(342), "€".repeat(341)],
  ["four bytes across the bound are left out", `xx${"😀".repeat(256)}`, `xx${"😀".repeat(255)}`],
  ["a character after the bound does not matter", `${"x".repeat(1_024)}é`, "x".repeat(1_024)],
])("the reason of a dead letter has at most 1,024 bytes: %s", async (_what, reason, published) => {
  expect(await publishedReason(reason)).toBe(published);
});

const message = { messageId: "1", publishTime: new Date(0).toISOString(), data: "MQ==" };

/** Opens one consumer's dead letters on a fake Pub/Sub that returns `pages`, and records its calls. */
function heldLetters(pages: unknown[]) {
  const calls: string[] = [];
  const call = async ({ path, body }: { readonly path: string; readonly body: { ackIds?: readonly string[] } }) => {
    calls.push(`${path.slice(path.lastIndexOf(":") + 1)} ${(body.ackIds ?? []).join()}`);
    return path.endsWith(":pull") ? { receivedMessages: pages.shift() ?? [] } : {};
  };
  const cloud = { client: { call }, clock: { now: () => 0 } } as unknown as Cloud;
  const placed = { id: "shop-bill", destination: { kind: "topic", name: "placed" } } as const;
  const delivery = { maxAttempts: 1, minBackoff: 1, maxBackoff: 1, deadline: 1, concurrency: 1 };
  const definitions = { kinds: [], consumers: [{ ...placed, delivery }] };
  return { calls, letters: new HeldDeadLetters({ cloud, place, definitions }) };
}

function letter(id: string, attributes: Readonly<Record<string, string>> = {}) {
  return { ackId: `ack ${id}`, message: { ...message, attributes: { [messageNames.id]: id, ...attributes } } };
}

test("messages that wait for code that they fit are counted when they are sent again", async () => {
  const { calls, letters } = heldLetters([[letter("one", { [messageNames.waits]: "true" }), letter("two")]]);
  expect(await letters.resendWaiting()).toBe(1);
  expect(calls).toEqual(["pull ", "publish ", "acknowledge ack one", "pull ", "modifyAckDeadline ack one,ack two"]);
});

test("a dead letter is found on any page of its consumer, and the others are given back", async () => {
  const { calls, letters } = heldLetters([[letter("one")], [letter("two")], [letter("three")]]);
  expect(await letters.drop("shop-bill", "two")).toBe(true);
  expect(calls).toEqual(["pull ", "pull ", "acknowledge ack two", "modifyAckDeadline ack one,ack two"]);
  expect(await letters.drop("shop-bill", "four")).toBe(false);
});
