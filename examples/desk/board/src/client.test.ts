import assert from "node:assert/strict";
import { newTestApp } from "fw/testing";
import { test } from "vitest";
import { createClient } from "../../.fw/gen/client/ts/api.ts";
import { createTicket, createToken } from "../../desk/api.ts";
import { example } from "../../desk/seeds.ts";
import { smtp } from "../../desk/mails.ts";
import { enroll } from "../../people/people.ts";

test("programs use the typed client with a token, and follow the changes", async () => {
  await using app = await newTestApp();
  app.setSecret(smtp.name, "console");
  await app.seed(example);
  const [ann, cleo] = ["Ann", "Cleo"].map((name) => app.signIn({ email: `${name}@example.com`, name }));
  assert.ok(ann && cleo);
  await enroll(app.ctx(), "zoo", ann, "agent");
  await enroll(app.ctx(), "zoo", cleo, "customer");
  const { secret } = await createToken.call(app.ctx(ann), { name: "robot" });
  const client = createClient({ fetch: app.fetch, headers: { Authorization: `Bearer ${secret}` } });
  const changes = client.watchDesk("zoo", { headers: { "Last-Event-ID": "0" } })[Symbol.asyncIterator]();
  const change = changes.next();
  await createTicket.call(app.ctx(cleo), { desk: "zoo", subject: "Maps?", text: "Of the zoo." });
  const { data } = (await change).value;
  assert.deepEqual([data.subject, data.what, data.by], ["Maps?", "opened", "Cleo"]);
  await changes.return?.();
  await client.createComment("zoo", data.ticket, { text: "At the gate." });
  assert.deepEqual(await client.countTickets("zoo"), { open: 2, waiting: 2, closed: 0 });
  await assert.rejects(client.createTicket("acme", { subject: "Maps?", text: "Of acme." }), { status: 403 });
});
