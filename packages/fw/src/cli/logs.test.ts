import { expect, test } from "vitest";
import { writeApp } from "../analysis/testing/app.ts";
import { LogFile } from "../workspace/log/file.ts";
import type { LogEntry } from "../workspace/log/entry.ts";
import { fw } from "./testing/run.ts";

const shop = `-- package.json --
{ "name": "market", "type": "module" }
-- orders/api.ts --
import { API, Queue, Worker } from "fw";
export const hello = API("GET /", (): { ok: boolean } => ({ ok: true }));
export const mails = Queue<string>("mails");
export const send = Worker(mails, async () => {});
`;

/** Creates an application with these log entries, whose ages are in minutes. */
async function logged(...entries: readonly (Partial<LogEntry> & { readonly age: number })[]): Promise<string> {
  const { root } = await writeApp(shop);
  const log = new LogFile(root, () => ({}));
  for (const { age, ...entry } of entries) {
    const time = new Date(Date.now() - age * 60_000).toISOString();
    log.append({ time, severity: "INFO", service: "orders", message: "", fields: {}, ...entry });
  }
  log.flush();
  return root;
}

test("fw logs prints time, service, severity and text, fields below as key: value, and keeps the shape of lines", async () => {
  const fields = { req: "r1", items: [1, 2], error: { message: "no", stack: "Error: no\n    at a.ts:1:1" } };
  const root = await logged({ age: 1, severity: "ERROR", message: "it failed\n  here", fields });
  const { code, out, err } = await fw(root, "logs");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out.replace(/^\S+Z/, "TIME")).toBe(`TIME  orders  ERROR  it failed
      here
    req: r1
    items: [1,2]
    error:
        Error: no
            at a.ts:1:1
`);
});

test("the window is 15 minutes unless --since says otherwise, and an empty one prints a sentence", async () => {
  const root = await logged({ age: 60, message: "long ago" }, { age: 14, message: "lately" });
  expect((await fw(root, "logs")).out).toMatch(/^\S+ {2}orders {2}INFO {2}lately\n$/);
  expect((await fw(root, "logs", "--since", "2h")).out).toContain("long ago");
  const none = await fw(root, "logs", "--since", "1m");
  expect(none).toEqual({ code: 0, out: "no log entries in the last 1m\n", err: "" });
});

test("a service is known by its name and by that of its deployment", async () => {
  const root = await logged(
    { age: 1, message: "in the app" },
    { age: 1, service: "orders-send", message: "in the worker" },
  );
  for (const name of ["orders-send", "market-orders-send", "market-prod-orders-send", "market-pr-123-orders-send"]) {
    const { out } = await fw(root, "logs", name);
    expect([name, out]).toEqual([name, expect.stringContaining("in the worker")]);
    expect(out).not.toContain("in the app");
  }
});

test("a wrong window and an unknown service fail, and list the services", async () => {
  const root = await logged();
  const serviceList = `the services are "orders" and "orders-send"`;
  expect(await fw(root, "logs", "order")).toEqual({
    code: 2,
    out: "",
    err: `fw: there is no service "order": ${serviceList}; did you mean "orders"?\n`,
  });
  for (const since of ["soon", "0s", "15"])
    expect(await fw(root, "logs", "--since", since)).toEqual({
      code: 2,
      out: "",
      err: `fw: "--since" must be a duration such as 15m, 1h or 2d, not "${since}"; ${serviceList}\n`,
    });
});

test("at most 200 entries are printed, the newest; --json prints one object a line", async () => {
  const root = await logged(...Array.from({ length: 250 }, (_, i) => ({ age: 1, message: String(i) })));
  const { out } = await fw(root, "logs", "--json");
  const messages = out
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as LogEntry).message);
  expect(messages).toEqual(Array.from({ length: 200 }, (_, i) => String(i + 50)));
});

test("what would move the cursor or colour the terminal is shown, not sent", async () => {
  const root = await logged({ age: 1, message: "\u001b[31mred", fields: { "\u001bkey": "\rline" } });
  const { out } = await fw(root, "logs");
  expect(out).toContain("[31mred");
  expect([..."\u001b\r"].filter((character) => out.includes(character))).toEqual([]);
});
