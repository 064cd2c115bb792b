import { expect, test } from "vitest";
import { messageNames } from "../../message-names.ts";
import type { Cloud } from "../cloud.ts";
import { CloudDeadLetters } from "./dead-letters.ts";

/** The reason that a dead letter carries. */
async function publishedReason(reason: string): Promise<string | undefined> {
  const bodies: { readonly messages: readonly { readonly attributes: Readonly<Record<string, string>> }[] }[] = [];
  const client = { call: async ({ body }: { readonly body: (typeof bodies)[number] }) => void bodies.push(body) };
  const place = {
    app: "shop",
    env: "test",
    service: "mail",
    project: "p",
    projectNumber: "1",
    region: "r",
    database: "d",
  };
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
