import assert from "node:assert/strict";
import { test } from "vitest";
import { createClient } from "../../.fw/gen/client/ts/api.ts";
import { createTicket, createToken } from "../../desk/api.ts";
import { member, start } from "../../desk/testing.ts";

test("programs and AI agents work with a token, and follow the changes", async () => {
  await using app = await start();
  const [ann, cleo] = [await member(app, "zoo", "Ann", "agent"), await member(app, "zoo", "Cleo", "customer")];
  const { secret } = await createToken.call(app.ctx(ann), { name: "robot" });
  const headers = { Authorization: `Bearer ${secret}` };
  const client = createClient({ fetch: app.fetch, headers });
  const changes = client.watchDesk("zoo", { headers: { "Last-Event-ID": "0" } })[Symbol.asyncIterator]();
  const change = changes.next();
  await createTicket.call(app.ctx(cleo), { desk: "zoo", subject: "Maps?", text: "Of the zoo." });
  const { data } = (await change).value;
  assert.deepEqual([data.subject, data.what, data.by], ["Maps?", "opened", "Cleo"]);
  await changes.return?.();
  const useTool = async (name: string, args: object) => {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } };
    const answer = await app.fetch("/mcp", { method: "POST", headers, body });
    return JSON.parse(await answer.text()).result;
  };
  const { items } = (await useTool("listTickets", { desk: "zoo", text: "map" })).structuredContent;
  assert.deepEqual([items[0].id, items[0].customer.name], [data.ticket, "Cleo"]);
  await useTool("createComment", { desk: "zoo", id: data.ticket, text: "At the gate." });
  const counts = (await client.countTickets("zoo")).map(({ value, count }) => `${count} ${value}`);
  assert.deepEqual(counts, ["2 open", "2 waiting", "0 closed"]);
  assert.equal((await useTool("listTickets", { desk: "acme" })).isError, true);
});

test("agents see who looks at a ticket", async () => {
  await using app = await start();
  const look = async (name: string) => {
    const { fetch } = app.client(await member(app, "zoo", name, "agent"));
    return createClient({ fetch }).watchLookers("zoo", "example-0")[Symbol.asyncIterator]();
  };
  const [ann, ben] = [await look("Ann"), await look("Ben")];
  assert.deepEqual((await ann.next()).value.data, ["Ann"]);
  await ben.next();
  assert.deepEqual((await ann.next()).value.data, ["Ann", "Ben"]);
  await ben.return?.();
  assert.deepEqual((await ann.next()).value.data, ["Ann"]);
});
