import assert from "node:assert/strict";
import { test } from "vitest";
import { orgs } from "../people/people.ts";
import { createComment } from "./api.ts";
import { member, start } from "./testing.ts";
import { comments } from "./tickets.ts";

const question = { subject: "Do you sell maps?", text: "Of the whole **zoo**." };

test("a customer asks, an agent answers by mail, and silence closes the ticket after two weeks", async () => {
  await using app = await start();
  const [cleo, ann] = [await member(app, "zoo", "Cleo", "customer"), await member(app, "zoo", "Ann", "agent")];
  const answer = await app.submit("/desks/zoo/tickets", question, { as: cleo, from: "/desks/zoo/new" });
  const ticket = answer.headers.get("location") ?? "";
  const list = await (await app.fetch("/desks/zoo", { as: ann })).text();
  assert.match(list, /Do you sell maps\?/);
  await app.submit(ticket, { status: "open", assignee: `zoo:${ann.id}` }, { as: ann });
  await app.clock.advance("1m");
  await app.submit(`${ticket}/comments`, { text: "Only by phone.", internal: "on" }, { as: ann, from: ticket });
  await app.submit(`${ticket}/comments`, { text: "At the gate." }, { as: ann, from: ticket });
  const mails = app.mails.map(({ to, subject }) => `${to.address}: ${subject}`);
  assert.deepEqual(mails, ["cleo@example.com: Re: Do you sell maps?"]);
  const page = await (await app.fetch(ticket, { as: cleo })).text();
  assert.match(page, /<strong>zoo<\/strong>[^]*At the gate\./);
  assert.doesNotMatch(page, /Only by phone/);
  await app.clock.advance("15d");
  const again = app.signIn({ email: "cleo@example.com" });
  assert.match(await (await app.fetch("/desks/zoo?status=closed", { as: again })).text(), /Do you sell maps\?/);
  const refusal = await app.submit(`${ticket}/comments`, { text: "Thanks" }, { as: again, from: ticket });
  assert.equal(refusal.status, 422);
  const id = ticket.slice(ticket.lastIndexOf("/") + 1);
  const comment = createComment.call(app.ctx(again), { desk: "zoo", id, text: "Thanks" });
  await assert.rejects(async () => comment, { status: 422 });
});

test("a customer cannot download the file of a note that only agents see", async () => {
  await using app = await start();
  const [bob, ann] = [app.signIn({ id: "bob", email: "bob@example.com" }), await member(app, "zoo", "Ann", "agent")];
  const zoo = orgs.as(app.ctx(), "zoo");
  const note = { ticket: "example-0", author: `zoo:${ann.id}`, at: app.ctx().now(), text: "see the plan" };
  for (const internal of [true, false])
    await comments.put(zoo, { ...note, id: `internal-${internal}`, internal, file: "plan.txt" });
  const files = "/desks/zoo/tickets/example-0/files/internal";
  for (const [file, as, status] of [
    ["true", ann, 303],
    ["true", bob, 404],
    ["false", bob, 303],
  ] as const)
    assert.equal((await app.fetch(`${files}-${file}`, { as, redirect: "manual" })).status, status, file);
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

test("a search finds words of subjects, and a member who leaves keeps no tickets", async () => {
  await using app = await start();
  const [ann, ben] = [await member(app, "zoo", "Ann", "admin"), await member(app, "zoo", "Ben", "agent")];
  const read = async (path: string) => (await app.fetch(path, { as: ann })).text();
  await app.submit("/desks/zoo/tickets/example-1", { status: "open", assignee: `zoo:${ben.id}` }, { as: ann });
  assert.match(await read("/desks/zoo?text=red+ha"), /I lost a red hat[^]*Ben/);
  await app.submit(`/desks/zoo/people/${ben.id}`, { role: "none" }, { as: ann, from: "/desks/zoo/people" });
  assert.doesNotMatch(await read("/desks/zoo?text=red+ha"), /penguins|Ben/);
  const customer = await app.submit("/desks/zoo/people/bob", { role: "none" }, { as: ann, from: "/desks/zoo/people" });
  assert.equal(customer.status, 409);
});

test("a desk keeps at least one admin", async () => {
  await using app = await start();
  const dora = app.signIn({ email: "dora@example.com" });
  await app.submit("/desks", { desk: "dogs", name: "Dogs" }, { as: dora, from: "/" });
  const become = async (role: string) => {
    const form = { as: dora, from: "/desks/dogs/people" };
    return (await app.submit(`/desks/dogs/people/${dora.id}`, { role }, form)).status;
  };
  for (const role of ["agent", "customer", "none"]) assert.equal(await become(role), 409, role);
  assert.equal(await become("admin"), 303);
  await member(app, "dogs", "Ann", "admin");
  assert.equal(await become("agent"), 303);
});

test("an admin exports the tickets, and follows the progress", async () => {
  await using app = await start();
  const ann = await member(app, "zoo", "Ann", "admin");
  const answer = await app.submit("/desks/zoo/exports", {}, { as: ann, from: "/desks/zoo/people" });
  const run = answer.headers.get("location") ?? "";
  await app.drain();
  assert.match(await (await app.fetch(run, { as: ann })).text(), /done 3 of 3 tickets/);
  const alice = app.signIn({ email: "alice@example.com", id: "alice" });
  assert.equal((await app.fetch(run.replace("zoo", "acme"), { as: alice })).status, 404);
  const lines = await (await app.fetch(`${run}/file`, { as: ann, redirect: "follow" })).text();
  assert.deepEqual(
    lines.split("\n").map((line) => JSON.parse(line).customer.name),
    ["Bob", "Bob", "Bob"],
  );
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

test("people sign up by a mailed link", async () => {
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
});
