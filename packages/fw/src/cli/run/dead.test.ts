import { join } from "node:path";
import { expect, test } from "vitest";
import { writeApp } from "../../analysis/testing/app.ts";
import { LocalMessageTransfer } from "../../platform/local/messages/message-transfer.ts";
import { openLocal } from "../../platform/local/open.ts";
import { fw } from "../testing/run.ts";

const source = `-- package.json --
{ "name": "shop", "type": "module" }
-- shop/shop.ts --
import { API, Queue, Worker } from "fw";
export const hello = API("GET /", () => ({ ok: true }));
export const emails = Queue<{ to: string }>("emails");
export const sendEmail = Worker(emails, () => {});
export const reports = Queue<{ to: string }>("reports");
export const writeReport = Worker(reports, () => {});
`;

/** Adds dead letters of a worker to the data of an application. */
async function addDead(root: string, worker: string, queue: string, count: number): Promise<void> {
  const platform = await openLocal(join(root, ".fw", "data"), { kinds: [] });
  const at = new Date(0);
  const letters = Array.from({ length: count }, (_, position) => ({
    position,
    id: `${queue}-${position}`,
    consumer: `shop-${worker}`,
    destination: { kind: "queue", name: queue } as const,
    body: `{"to":"ann"}`,
    sent: at,
    died: at,
    attempts: 5,
    reason: "no such mailbox",
  }));
  await new LocalMessageTransfer(platform.store).addDead(letters);
  await platform.close();
}

test("dead messages are found by receiver and id behind a thousand others, and --all means every one", async () => {
  await using app = await writeApp(source);
  await addDead(app.root, "sendEmail", "emails", 1_001);
  await addDead(app.root, "writeReport", "reports", 2);
  const reports = await fw(app.root, "dead", "list", "--receiver", "shop-writeReport");
  expect(reports.out.trimEnd().split("\n")).toHaveLength(2);
  const drop = (...argv: readonly string[]): ReturnType<typeof fw> => fw(app.root, "dead", "drop", ...argv);
  expect(await drop("reports-1")).toMatchObject({ code: 0, out: "1 message was deleted\n" });
  expect((await drop("--all", "--receiver", "shop-writeReport")).out).toBe("1 message was deleted\n");
  expect((await drop("--all")).out).toBe("1001 messages were deleted\n");
  expect((await fw(app.root, "dead", "list")).out).toBe("there are no dead messages\n");
});
