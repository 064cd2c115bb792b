/** A help desk with tenants. Its handlers use the tenant of a context. */
export const desk = String.raw`
-- access/access.ts --
import { Authenticator, Entity, RequireMember, RequireRole, Role, Tenant, type Header, type ID, type Path } from "fw";
export const Operator = Role("operator");
export const IsOperator = RequireRole(Operator);
export const people = Authenticator((_ctx, { person }: { person: Header<string, "X-Person"> }) => ({
  id: person, name: person, roles: person === "root" ? [Operator] : [],
}));
export interface Membership { id: ID; role: "admin" | "agent" }
export const memberships = Entity<Membership>("memberships", { tenant: "shared" });
export const orgs = Tenant("orgs", (ctx, user, { org }: { org: Path }) => memberships.find(ctx, org + ":" + user.id));
export const IsMember = RequireMember(orgs);
export const IsAdmin = RequireMember(orgs, "admin");
-- access/members.ts --
import { API, type Path } from "fw";
import { IsOperator, memberships } from "./access.ts";
export const hire = API("PUT /orgs/{org}/members/{person}", (ctx, { org, person, role }: { org: Path; person: Path; role: "admin" | "agent" }) =>
  memberships.put(ctx, { id: org + ":" + person, role }), { allow: IsOperator });
export const dismiss = API("DELETE /orgs/{org}/members/{person}", (ctx, { org, person }: { org: Path; person: Path }) =>
  memberships.delete(ctx, org + ":" + person), { allow: IsOperator });
-- desk/tickets.ts --
import { API, Entity, Queue, Subscribe, Topic, transaction, Worker, blob, Bucket, events, Feed, Job, Limit, Runner } from "fw";
import type { Context, Header, ID, Index, Int, Path, Query, Unique } from "fw";
import { IsAdmin, IsMember, IsOperator, orgs } from "../access/access.ts";
export interface Ticket { id: ID; title: Unique<string>; status: Index<"open" | "closed">; weight: Index<Int> }
export const tickets = Entity<Ticket>("tickets", { tenant: orgs });
export const mails = Queue<{ ticket: string }>("mails", { tenant: orgs });
export const closed = Topic<{ ticket: string }>("closed", { tenant: orgs });
export interface Note { id: ID; text: string }
export const notes = Entity<Note>("notes", { tenant: orgs });

export const open = API("POST /orgs/{org}/tickets", (ctx, req: { org: Path; id?: string; title: string; weight: Int }) =>
  transaction(ctx, async (tx) => {
    const { title, weight } = req;
    const ticket = await tickets.create(tx, { ...(req.id !== undefined && { id: req.id }), title, status: "open", weight });
    await mails.send(tx, { ticket: ticket.id });
    return ticket;
  }), { allow: IsMember });
export const show = API("GET /orgs/{org}/tickets/{id}", (ctx, { id }: { org: Path; id: Path }) => tickets.get(ctx, id), { allow: IsMember });
export const several = API("GET /orgs/{org}/several", async (ctx, { id }: { org: Path; id: Query<string[]> }) => {
  const found = await tickets.getMany(ctx, id);
  const again = await transaction(ctx, (tx) => tickets.getMany(tx, id));
  return [found, again].map((each) => each.map((ticket) => ticket?.title ?? null));
}, { allow: IsMember });
export const close = API("POST /orgs/{org}/tickets/{id}/close", (ctx, { id }: { org: Path; id: Path }) =>
  transaction(ctx, async (tx) => {
    await tickets.update(tx, id, (ticket) => ({ ...ticket, status: "closed" }));
    await closed.publish(tx, { ticket: id });
  }), { allow: IsMember });
export const replace = API("PUT /orgs/{org}/tickets/{id}", (ctx, { id, title }: { org: Path; id: Path; title: string }) =>
  tickets.put(ctx, { id, title, status: "open", weight: 0 }), { allow: IsMember });
export const remove = API("DELETE /orgs/{org}/tickets/{id}", (ctx, { id }: { org: Path; id: Path }) => tickets.delete(ctx, id), { allow: IsAdmin });
export const list = API("GET /orgs/{org}/tickets", (ctx, { after }: { org: Path; after?: Query }) =>
  tickets.query().where("status", "==", "open").orderBy("weight", "desc").limit(2).page(ctx, after), { allow: IsMember });
export const named = API("GET /orgs/{org}/named", (ctx, { id }: { org: Path; id: Query<string[]> }) =>
  tickets.query().where("id", "in", id).all(ctx), { allow: IsMember });
async function totals(ctx: Context): Promise<{ count: number; weight: number; each: number }> {
  let each = 0;
  for await (const ticket of tickets.query().each(ctx)) each += ticket.weight;
  return { count: await tickets.query().count(ctx), weight: Number(await tickets.query().sum(ctx, "weight")), each };
}
export const figures = API("GET /orgs/{org}/figures", async (ctx, _req: { org: Path }) =>
  ({ ...(await totals(ctx)), tenant: ctx.tenant(orgs).id, role: ctx.tenant(orgs).member.role }), { allow: IsMember });
export const copies = API("GET /orgs/{org}/notes/{id}", async (ctx, { id }: { org: Path; id: Path }) =>
  (await notes.find(ctx, id))?.text ?? "none", { allow: IsMember });

export const reminders = Queue<{ ticket: string }>("reminders", { tenant: orgs });
export const remind = API("POST /orgs/{org}/tickets/{id}/remind", async (ctx, { id }: { org: Path; id: Path }): Promise<void> => {
  await reminders.send(ctx, { ticket: id }, { key: "daily", delay: "1s" });
}, { allow: IsMember });
export const calm = API("DELETE /orgs/{org}/reminder", (ctx, _req: { org: Path }) => reminders.cancel(ctx, "daily"), { allow: IsMember });
export const reminded = Worker(reminders, async (ctx, { ticket }) => {
  await notes.put(ctx, { id: "reminded " + ticket, text: ctx.tenant(orgs).id });
});
export const mail = Worker(mails, async (ctx, { ticket }) => {
  const { title } = await tickets.get(ctx, ticket);
  await notes.put(ctx, { id: "mailed " + ticket, text: ctx.tenant(orgs).id + " " + title });
});
export const record = Subscribe(closed, async (ctx, { ticket }) => {
  await notes.put(ctx, { id: "closed " + ticket, text: (await tickets.get(ctx, ticket)).status });
});

export const chats = Feed<{ text: string }>("chats", { tenant: orgs });
export const posts = Limit("posts", "2/h", { tenant: orgs });
export const post = API("POST /orgs/{org}/chats/{room}", async (ctx, { room, text }: { org: Path; room: Path; text: string }) => {
  await posts.take(ctx, room);
  await transaction(ctx, (tx) => chats.publish(tx, room, { text }));
  return { present: await chats.presence(ctx, room) };
}, { allow: IsMember });
export const listen = API("GET /orgs/{org}/chats/{room}", (ctx, req: { org: Path; room: Path; name?: Query; after?: Header<string, "Last-Event-ID"> }) => {
  const { room, name, after } = req;
  return events(name === undefined ? chats.events(ctx, room, { after }) : chats.join(ctx, room, name, { after }));
}, { allow: IsMember });

export const files = Bucket("files", { tenant: orgs });
export const attach = API("PUT /orgs/{org}/files/{name}", async (ctx, { name, text }: { org: Path; name: Path; text: string }) =>
  ({ key: (await files.put(ctx, name, blob(text, { type: "text/plain" }))).key, url: (await files.signedGet(ctx, name, "5m")).url }), { allow: IsMember });
export const attached = API("GET /orgs/{org}/files/{name}", (ctx, { name }: { org: Path; name: Path }) => files.get(ctx, name), { allow: IsMember });
export const detach = API("DELETE /orgs/{org}/files/{name}", async (ctx, { name }: { org: Path; name: Path }) => {
  const existed = await files.exists(ctx, name);
  await files.delete(ctx, name);
  return existed;
}, { allow: IsMember });
export const place = API("POST /orgs/{org}/files/{name}", (ctx, { name }: { org: Path; name: Path }) =>
  files.signedPut(ctx, name, "5m", { contentType: "text/plain" }), { allow: IsMember });
export const folder = API("GET /orgs/{org}/files", async (ctx, { prefix }: { org: Path; prefix?: Query }) => {
  const keys: string[] = [];
  for await (const { key } of files.list(ctx, prefix)) keys.push(key);
  return keys;
}, { allow: IsMember });
export const uploaded = Subscribe(files.uploaded, async (ctx, { key }) => {
  await notes.put(ctx, { id: "uploaded " + key, text: ctx.tenant(orgs).id });
});

export const archives = Job<{ title: string }>("archive", { tenant: orgs, history: "1d" });
export const archive = Runner(archives, async (ctx, { title }, run) => {
  await notes.put(ctx, { id: "archived " + run.id, text: ctx.tenant(orgs).id + " " + title });
});
export const startArchive = API("POST /orgs/{org}/archives", (ctx, { title }: { org: Path; title: string }) =>
  transaction(ctx, (tx) => archives.start(tx, { title })), { allow: IsMember });
export const listArchives = API("GET /orgs/{org}/archives", async (ctx, _req: { org: Path }) =>
  (await archives.list(ctx)).map(({ id }) => id), { allow: IsMember });
export const showArchive = API("GET /orgs/{org}/archives/{id}", async (ctx, { id }: { org: Path; id: Path }) =>
  (await archives.get(ctx, id)).state, { allow: IsMember });
export const stopArchive = API("DELETE /orgs/{org}/archives/{id}", (ctx, { id }: { org: Path; id: Path }) =>
  archives.cancel(ctx, id), { allow: IsMember });

export const census = API("GET /census", async (ctx, { org }: { org: Query<string[]> }) => {
  const counts: number[] = [];
  for (const id of org) {
    const inside = orgs.as(ctx, id);
    counts.push(await tickets.query().count(inside));
  }
  return counts;
}, { allow: IsOperator });
export const mine = API("GET /mine", async (ctx, { org }: { org: Query<string[]> }) => {
  const all = await Promise.all(org.map(async (id) => totals(await orgs.enter(ctx, id))));
  return all.map(({ count }) => count);
}, { signIn: true });
-- front/front.ts --
import { API, type Path } from "fw";
import { show } from "../desk/tickets.ts";
import { IsMember } from "../access/access.ts";
export const relay = API("GET /orgs/{org}/relay/{other}/{id}", (ctx, { other, id }: { org: Path; other: Path; id: Path }) =>
  show.call(ctx, { org: other, id }), { allow: IsMember });
`;
