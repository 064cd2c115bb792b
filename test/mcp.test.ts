import { fileURLToPath } from "node:url";
import { Client as NewClient } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewTransport } from "@modelcontextprotocol/client/stdio";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { rmSync } from "node:fs";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";

const bin = fileURLToPath(new URL("../packages/fw/bin/fw.js", import.meta.url));

const application = `
-- shop/shop.ts --
import { API, Cron, Entity, Queue, Secret, Worker } from "fw";
import type { ID, Index, Int } from "fw";
export const key = Secret("SHOP_KEY");
export const word = Secret("SHOP_WORD");
export interface Order { id: ID; buyer: Index<string>; total: Int; doorPassword?: string; note?: string }
export const orders = Entity<Order>("orders");
export const place = API("POST /orders", (ctx, { buyer, total }: { buyer: string; total: Int }): Promise<Order> => {
  ctx.log.info("placing for " + buyer, { key: key.value() });
  return orders.create(ctx, { buyer, total });
});
export const keep = API("POST /kept", (ctx, { doorPassword }: { doorPassword: string }): Promise<Order> =>
  orders.create(ctx, { id: "kept", buyer: "zoe", total: 1, doorPassword, note: "key " + key.value() }));
export const nightly = Cron("nightly", "0 3 * * *", () => { throw new Error("refused " + key.value()); });
export const parcels = Queue<{ order: string }>("parcels");
export const pack = Worker(parcels, async (ctx, { order }) => ctx.log.info("packed", { order, key: key.value(), [word.value()]: word.value() }));
export const send = API("POST /parcels", (ctx) => parcels.send(ctx, { order: "kept" }));
export const opened = Queue<{ doorPassword: string }>("opened");
export const open = Worker(opened, () => { throw new Error("the door is stuck"); }, { maxAttempts: 5, minBackoff: "1ms", maxBackoff: "1ms" });
export const enter = API("POST /entries", (ctx, { doorPassword }: { doorPassword: string }) => opened.send(ctx, { doorPassword }));
export const fail = API("GET /fail", () => { throw new Error("the till is stuck"); });
-- shop/shop.test.ts --
import assert from "node:assert/strict";
import { test } from "node:test";
import { newTestApp } from "fw/testing";
import { place } from "./shop.ts";
test("an order has its buyer", async () => {
  const app = await newTestApp();
  app.setSecret("SHOP_KEY", "x");
  assert.equal((await place.call(app.ctx(), { buyer: "ann", total: 1 })).buyer, "ann");
});
-- .env --
SHOP_KEY=hunter2hunter2
SHOP_WORD=events
`;

let dev: Dev;
let idle: string;

beforeAll(async () => {
  idle = writeApplication({
    ...Object.fromEntries(filesOf(application)),
    "shop/bad.ts": "export const bad: Int = 1;\n",
  });
  dev = launchDev(writeApplication(Object.fromEntries(filesOf(application))), []);
  await dev.says("http://localhost:");
});
afterAll(async () => {
  await dev[Symbol.asyncDispose]();
  rmSync(idle, { recursive: true });
});

/** Connects the official client of the Model Context Protocol to `fw mcp`. */
async function connect(cwd: string, ...options: string[]): Promise<Client & AsyncDisposable> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [bin, "mcp", ...options], cwd }));
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.close() });
}

async function callTool(client: Client, name: string, args: Record<string, unknown> = {}): Promise<CallToolResult> {
  return (await client.callTool({ name, arguments: args }, undefined, { timeout: 280_000 })) as CallToolResult;
}

async function textOf(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const { content, isError } = await callTool(client, name, args);
  const [first] = content;
  if (isError || first?.type !== "text") throw new Error(JSON.stringify(content));
  return first.text;
}

test("an agent lists the tools, and without --allow-writes none that changes anything", async () => {
  await using reading = await connect(idle);
  await using writing = await connect(idle, "--allow-writes");
  const hints = async (client: Client): Promise<readonly (boolean | undefined)[]> =>
    (await client.listTools()).tools.map(({ annotations }) => annotations?.readOnlyHint);
  expect(new Set(await hints(reading))).toEqual(new Set([true]));
  expect(await hints(writing)).toContain(false);
  await expect(callTool(reading, "run_cron", { name: "x" })).rejects.toThrow('there is no tool "run_cron"');
});

test("the second generation of the official client lists and calls the tools, too", async () => {
  const client = new NewClient({ name: "test", version: "1" });
  await client.connect(new NewTransport({ command: process.execPath, args: [bin, "mcp"], cwd: idle }));
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("docs_search");
  const { content } = await client.callTool({ name: "docs_page", arguments: { name: "entity" } });
  expect(content).toEqual([{ type: "text", text: expect.stringMatching(/^# Entity\n/) }]);
});

test("an agent reads problems, declarations and documentation without a running application", async () => {
  await using client = await connect(idle);
  expect(JSON.parse(await textOf(client, "check"))).toMatchObject({
    diagnostics: [{ path: "shop/bad.ts", line: 1, code: "ts2304" }],
  });
  expect(JSON.parse(await textOf(client, "docs_search", { words: "signed upload" }))).toContainEqual(
    expect.objectContaining({ path: "bucket.md" }),
  );
  expect(await textOf(client, "docs_page", { name: "fw/route-conflict" })).toContain("# route-conflict");
  await expect(textOf(client, "docs_page", { name: "upload" })).rejects.toThrow("docs_search finds pages by words");
  await expect(textOf(client, "docs_page", { name: "entty" })).rejects.toThrow("did you mean");
});

test("a tool about the running application says how to start it", async () => {
  await using client = await connect(idle);
  const { content, isError } = await callTool(client, "requests");
  expect({ content, isError }).toEqual({
    isError: true,
    content: [{ type: "text", text: expect.stringContaining("start it with `fw dev`") }],
  });
});

test("an agent finds the cause of a 500, and never the value of a secret", async () => {
  await using client = await connect(dev.root);
  await dev.get("/fail");
  await fetch(`http://localhost:${dev.port}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ buyer: "ann", total: 3 }),
  });
  const requests = await textOf(client, "requests", { status: 500 });
  const { id } = JSON.parse(requests.split("\n").at(-1) ?? "") as { readonly id: string };
  expect(await textOf(client, "request", { id })).toContain("the till is stuck");
  const logs = await textOf(client, "logs");
  expect(logs).toContain("placing for ann");
  expect(logs).not.toContain("hunter2");
  const page = JSON.parse(
    await textOf(client, "documents", {
      entity: "orders",
      filters: [{ property: "buyer", op: "==", value: '"ann"' }],
    }),
  ) as unknown;
  expect(page).toMatchObject({ documents: [{ fields: { buyer: "ann", total: 3 } }], indexes: [["buyer"]] });
});

test("with --allow-writes an agent calls a route of the running application", async () => {
  await using client = await connect(dev.root, "--allow-writes");
  const answer = await textOf(client, "call_route", {
    method: "POST",
    path: "/orders",
    headers: [{ name: "content-type", value: "application/json" }],
    body: JSON.stringify({ buyer: "bob", total: 4 }),
  });
  expect(JSON.parse(answer)).toMatchObject({ status: 200, body: expect.stringContaining('"buyer":"bob"') });
});

test("no answer about the running application contains a secret or a credential", async () => {
  await using client = await connect(dev.root, "--allow-writes");
  const answers: string[] = [];
  const ask = async (name: string, args: Record<string, unknown> = {}): Promise<string> => {
    const { content } = await callTool(client, name, args);
    answers.push(JSON.stringify(content));
    return content[0]?.type === "text" ? content[0].text : "";
  };
  const post = (path: string, body: object | string): Promise<string> =>
    ask("call_route", {
      method: "POST",
      path,
      headers: [{ name: "content-type", value: "application/json" }],
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  for (const path of ["/kept", "/entries"]) await post(path, { doorPassword: "letmein99" });
  await expect.poll(() => ask("messages")).toContain(String.raw`{\"doorPassword\":\"•••\"}`);
  const page = await ask("documents", { entity: "orders", filters: [{ property: "buyer", op: "==", value: "zoe" }] });
  const [document] = (JSON.parse(page) as { readonly documents: readonly StoredOrder[] }).documents;
  expect(document?.fields).toMatchObject({ doorPassword: "•••", note: "key [secret SHOP_KEY]" });
  const { id, version } = document ?? expect.fail("there is no document");
  const json = JSON.stringify({ ...document?.fields, note: undefined });
  for (const masked of [json, json.replaceAll("•", String.raw`\u2022`)]) {
    expect(await ask("save_document", { entity: "orders", id, version, json: masked })).toContain(
      '"json" contains •••',
    );
    expect(await post("/kept", masked)).toContain('"body" contains •••');
    expect(await ask("start_job", { name: "count", args: masked })).toContain('"args" contains •••');
  }
  const [line = ""] = (await ask("requests", { route: "POST /kept" })).split("\n");
  await ask("request", { id: (JSON.parse(line) as { readonly id: string }).id });
  for (const name of ["logs", "metrics", "messages", "accounts"]) await ask(name);
  expect(await ask("run_cron", { name: "nightly" })).toContain("refused [secret SHOP_KEY]");
  expect(answers.filter((answer) => /hunter2|letmein99/.test(answer))).toEqual([]);
});

test("a request has the log lines of the deliveries that it led to", async () => {
  await using client = await connect(dev.root, "--allow-writes");
  await textOf(client, "call_route", { method: "POST", path: "/parcels" });
  const line = (await textOf(client, "requests", { route: "POST /parcels" })).split("\n").at(-1) ?? "";
  const { id } = JSON.parse(line) as { readonly id: string };
  await expect.poll(() => textOf(client, "request", { id })).toContain('"message": "packed"');
  // A secret's value is also replaced where it is the name of a field in the console's response.
  expect(await textOf(client, "request", { id })).toContain('"[secret SHOP_WORD]": "•••"');
});

test("names of crons, jobs and messages that do not exist are refused with what exists", async () => {
  await using client = await connect(dev.root, "--allow-writes");
  const refusal = async (name: string, args: Record<string, unknown>): Promise<unknown> => {
    const { content, isError } = await callTool(client, name, args);
    return isError ? content : "not refused";
  };
  expect(await refusal("run_cron", { name: "none" })).toMatchObject([
    { text: 'there is no cron "none"; declared: nightly' },
  ]);
  expect(await refusal("start_job", { name: "none" })).toMatchObject([
    { text: 'there is no job "none"; declared: none' },
  ]);
  for (const name of ["replay_message", "drop_message"])
    expect(await refusal(name, { consumer: "shop-pack", id: "7" })).toMatchObject([
      { text: 'shop-pack has no dead message "7"; `messages` lists them' },
    ]);
  const document = { entity: "orders", id: "none", version: "1" };
  expect(await refusal("delete_document", document)).toMatchObject([{ text: expect.stringContaining("has changed") }]);
});

interface StoredOrder {
  readonly id: string;
  readonly version: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

test("an agent runs the application's tests and reads the report", async () => {
  await using client = await connect(dev.root);
  const report = await textOf(client, "test");
  expect(report).toMatch(/^passed\n/);
  expect(report).toContain("an order has its buyer");
});

test("wrong arguments are named", async () => {
  await using client = await connect(idle);
  await expect(callTool(client, "docs_page", { page: "entity" })).rejects.toThrow(
    'docs_page has no argument "page"; its arguments: name',
  );
  for (const limit of [0, -1, 1.5])
    await expect(callTool(client, "logs", { limit })).rejects.toThrow(
      '"limit" of logs is not an integer of at least 1',
    );
  await expect(callTool(client, "logs", { severity: "LOUD" })).rejects.toThrow(
    '"severity" of logs is not one of DEBUG, INFO, WARNING, ERROR',
  );
  await expect(callTool(client, "docs_page")).rejects.toThrow('docs_page needs "name"');
  await expect(callTool(client, "docs_page", { name: 4 })).rejects.toThrow('"name" of docs_page is not a string');
});
