import { createHmac } from "node:crypto";
import { newTestApp, type TestApp } from "fw/testing";
import { expect, test } from "vitest";
import { connect, disconnect } from "./programs.ts";

const secret = "it is our secret";

async function open(): Promise<TestApp> {
  const app = await newTestApp();
  app.setSecret("WEBHOOK_SECRET", secret);
  return app;
}

function deliver(app: TestApp, id: string, body: string, signedWith = secret): Promise<Response> {
  const signature = `sha256=${createHmac("sha256", signedWith).update(body).digest("hex")}`;
  const headers = {
    "X-Delivery": id,
    "X-Event": "push",
    "X-Signature-256": signature,
    "Content-Type": "application/json",
  };
  return app.fetch("/webhook", { method: "POST", headers, body });
}

/** Returns the headers that Ada's program sends. */
async function program(app: TestApp): Promise<{ Authorization: string }> {
  const made = await connect.call(app.ctx(app.signIn({ email: "ada@example.com" })), { name: "ci" });
  return { Authorization: `Bearer ${made.secret}` };
}

test("a webhook takes what is signed, once, and nothing else", async () => {
  await using app = await open();
  const headers = await program(app);
  expect((await deliver(app, "1", '{"a": 1}')).status).toBe(202);
  expect((await deliver(app, "1", '{"a": 1}')).status).toBe(202);
  expect((await deliver(app, "2", "{}", "another secret")).status).toBe(401);
  const table = await app.fetch("/deliveries.csv", { headers });
  expect(table.headers.get("content-disposition")).toContain('filename="deliveries.csv"');
  expect((await table.text()).split("\r\n")).toHaveLength(3);
});

test("a cell that begins like a formula is text", async () => {
  await using app = await open();
  await deliver(app, "1", '=cmd("x")');
  const table = await app.fetch("/deliveries.csv", { headers: await program(app) });
  expect(await table.text()).toContain(`"'=cmd(""x"")"`);
});

test("the feed tells what is delivered as it comes", async () => {
  await using app = await open();
  const feed = await app.fetch("/feed", { headers: await program(app) });
  const reader = (feed.body as ReadableStream<Uint8Array>).getReader();
  let heard = "";
  const until = async (text: string): Promise<void> => {
    while (!heard.includes(text)) heard += new TextDecoder().decode((await reader.read()).value);
  };
  await until("retry: 2000");
  await deliver(app, "7", "hello");
  await until('"text":"hello"');
  await reader.cancel();
});

test("GraphQL answers whoever has a token, until it is revoked", async () => {
  await using app = await open();
  const ada = app.ctx(app.signIn({ email: "ada@example.com" }));
  const made = await connect.call(ada, { name: "ci" });
  const ask = () =>
    app.fetch("/graphql", {
      method: "POST",
      headers: { Authorization: `Bearer ${made.secret}`, "Content-Type": "application/json" },
      body: JSON.stringify({ query: "{ deliveries(first: 1) { id kind } }" }),
    });
  await deliver(app, "3", "x");
  expect(await (await ask()).json()).toEqual({ data: { deliveries: [{ id: "3", kind: "push" }] } });
  await disconnect.call(ada, { id: made.id });
  expect((await ask()).status).toBe(401);
});

test("a file comes back to whose it is", async () => {
  await using app = await open();
  const headers = await program(app);
  const body = new FormData();
  body.append("file", new File(["all of it"], "notes für März.txt", { type: "text/plain" }));
  expect(await (await app.fetch("/files", { method: "POST", headers, body })).json()).toEqual({
    name: "notes für März.txt",
    size: 9,
  });
  const path = `/files/${encodeURIComponent("notes für März.txt")}`;
  expect(await (await app.fetch(path, { headers })).text()).toBe("all of it");
  const bo = app.signIn({ email: "bo@example.com" });
  expect((await app.client(bo).fetch(path)).status).toBe(404);
});
