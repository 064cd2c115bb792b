import assert from "node:assert/strict";
import { newTestApp, type TestApp } from "fw/testing";
import { test } from "vitest";
import { smtp } from "./mails.ts";
import { enroll, type Role } from "../people/people.ts";
import { createComment } from "./api.ts";
import { lookers } from "./live.ts";
import { example } from "./seeds.ts";

async function start(): Promise<TestApp> {
  const app = await newTestApp({ now: new Date("2026-11-02T06:00:00Z") });
  app.setSecret(smtp.name, "console");
  await app.seed(example);
  return app;
}

/** Signs in a member of a desk. */
async function member(app: TestApp, desk: string, name: string, role: Role) {
  const user = app.signIn({ email: `${name.toLowerCase()}@example.com`, name });
  await enroll(app.ctx(), desk, user, role);
  return user;
}

const question = { subject: "Do you sell maps?", text: "Of the whole **zoo**." };

test("a customer asks, an agent answers by mail, and silence closes the ticket after two weeks", async () => {
  await using app = await start();
  const [cleo, ann] = [await member(app, "zoo", "Cleo", "customer"), await member(app, "zoo", "Ann", "agent")];
  const answer = await app.submit("/desks/zoo/tickets", question, { as: cleo, from: "/desks/zoo/new" });
  const ticket = answer.headers.get("location") ?? "";
  const list = await (await app.fetch("/desks/zoo", { as: ann })).text();
  assert.match(list, /Do you sell maps\?/);
  await app.submit(`${ticket}/assignee`, { assignee: "Ann" }, { as: ann, from: ticket });
  await app.clock.advance("1m");
  await app.submit(`${ticket}/comments`, { text: "Only by phone.", internal: "on" }, { as: ann, from: ticket });
  await app.submit(`${ticket}/comments`, { text: "At the gate." }, { as: ann, from: ticket });
  assert.deepEqual(
    app.mails.map(({ to, subject }) => [to.address, subject]),
    [["cleo@example.com", "Re: Do you sell maps?"]],
  );
  const page = await (await app.fetch(ticket, { as: cleo })).text();
  assert.match(page, /<strong>zoo<\/strong>[^]*At the gate\./);
  assert.doesNotMatch(page, /Only by phone/);
  await app.clock.advance("15d");
  const again = app.signIn({ email: "cleo@example.com" });
  assert.match(await (await app.fetch("/desks/zoo?status=closed", { as: again })).text(), /Do you sell maps\?/);
  const refusal = await app.submit(`${ticket}/comments`, { text: "Thanks" }, { as: again, from: ticket });
  assert.equal(refusal.status, 422);
});

test("agents get a digest of open tickets on weekdays", async () => {
  await using app = await start();
  await app.clock.advance("7d");
  const digests = app.mails.filter(({ subject }) => subject === "2 open");
  assert.deepEqual(
    digests.map(({ to }) => to.address),
    Array(5).fill("alice@example.com"),
  );
});

test("a desk is closed to agents and customers of another one, and to other customers", async () => {
  await using app = await start();
  const agent = await member(app, "acme", "Ann", "agent");
  const customer = await member(app, "zoo", "Cleo", "customer");
  for (const [path, as, status] of [
    ["/desks/zoo", agent, 403],
    ["/api/desks/zoo/tickets", agent, 403],
    ["/desks/acme/tickets/example-0", agent, 404],
    ["/desks/zoo/tickets/example-0", customer, 404],
    ["/api/desks/zoo/tickets", customer, 403],
    ["/desks/zoo/people", customer, 403],
  ] as const)
    assert.equal((await app.fetch(path, { as })).status, status, path);
  const comment = createComment.call(app.ctx(agent), { desk: "acme", id: "example-0", text: "mine?" });
  await assert.rejects(async () => comment, { status: 404 });
});

test("a refused form keeps what was typed, and a double click asks once", async () => {
  await using app = await start();
  const cleo = app.client(await member(app, "zoo", "Cleo", "customer"));
  const refusal = await cleo.submit("/desks/zoo/tickets", { ...question, subject: "Hi" }, { from: "/desks/zoo/new" });
  assert.equal(refusal.status, 422);
  assert.match(await refusal.text(), /must be at least 3 characters[^]*Of the whole \*\*zoo\*\*\./);
  const form = await (await cleo.fetch("/desks/zoo/new")).text();
  const body = new FormData();
  const fields = { ...question, _csrf: /name="_csrf" value="([^"]+)"/.exec(form)?.[1] ?? "" };
  for (const [name, value] of Object.entries(fields)) body.append(name, value);
  const clicks = [1, 2].map(() => cleo.fetch("/desks/zoo/tickets", { method: "POST", body }));
  const [first, second] = (await Promise.all(clicks)).map(({ headers }) => headers.get("location"));
  assert.ok(first);
  assert.equal(first, second);
  assert.match(await (await cleo.fetch(first)).text(), /We have your question/);
  assert.doesNotMatch(await (await cleo.fetch(first)).text(), /We have your question/);
});

test("a user opens five desks a day, each with a short name that is free", async () => {
  await using app = await start();
  const dora = app.signIn({ email: "dora@example.com" });
  const open = (desk: string) => app.submit("/desks", { desk, name: "Dora's" }, { as: dora, from: "/" });
  const conflict = await open("zoo");
  assert.equal(conflict.status, 422);
  assert.match(await conflict.text(), /is taken/);
  for (const desk of ["d1", "d2", "d3", "d4"]) assert.equal((await open(desk)).status, 303);
  assert.equal((await open("d5")).status, 429);
  await app.clock.advance("1d");
  assert.equal((await open("d5")).status, 303);
  assert.equal((await app.fetch("/desks/d5/people", { as: dora })).status, 200);
});

test("agents see who looks at a ticket", async () => {
  await using app = await start();
  const look = async (name: string) =>
    app.socket(lookers, { desk: "zoo", id: "example-0" }, { as: await member(app, "zoo", name, "agent") });
  const ann = await look("Ann");
  assert.deepEqual(await ann.receive(), ["Ann"]);
  const ben = await look("Ben");
  assert.deepEqual(await ann.receive(), ["Ann", "Ben"]);
  await ben.close();
  assert.deepEqual(await ann.receive(), ["Ann"]);
});

test("a file comes back to those who see its ticket", async () => {
  await using app = await start();
  const cleo = await member(app, "zoo", "Cleo", "customer");
  const file = new File(["a map"], "../map of zoo.txt", { type: "text/plain" });
  const answer = await app.submit("/desks/zoo/tickets", { ...question, file }, { as: cleo, from: "/desks/zoo/new" });
  const page = await (await app.fetch(answer.headers.get("location") ?? "", { as: cleo })).text();
  const link = /href="([^"]+\/files\/[^"]+)">[0-9a-f]{8}-map_of_zoo.txt/.exec(page)?.[1] ?? "";
  assert.equal(await (await app.fetch(link, { as: cleo, redirect: "follow" })).text(), "a map");
  assert.equal((await app.fetch(link, { as: await member(app, "zoo", "Dan", "customer") })).status, 404);
});

test("people sign up by a mailed link, and lost mails fire an alert", async () => {
  await using app = await start();
  const eve = app.client();
  const post = (path: string, fields: Record<string, string>) =>
    eve.fetch(path, { method: "POST", body: new URLSearchParams(fields) });
  await post("/_fw/signup", { email: "eve@example.com", next: "/desks/harbor/join" });
  await app.drain();
  const [mail] = app.mails;
  const path = /https:\/\/desk\.example\.com([^\s>]+)/.exec(mail?.text ?? "")?.[1] ?? "";
  await eve.fetch(path);
  const created = await post(path, { name: "Eve", new_password: "eight characters" });
  assert.equal(created.headers.get("location"), "/desks/harbor/join");
  assert.match(await (await eve.fetch("/desks/harbor/join")).text(), /Harbor Ferries[^]*Ask a question/);
  app.setSecret(smtp.name, "smtp://127.0.0.1:1");
  await post("/_fw/forgot", { email: "eve@example.com" });
  await app.drain();
  await app.clock.advance("1m");
  assert.deepEqual(app.alerts.firing(), ["lost-mails"]);
});
