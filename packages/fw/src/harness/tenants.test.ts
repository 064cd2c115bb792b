import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ID, Index, Unique } from "../declare/binding.ts";
import type { Context } from "../declare/context.ts";
import { Entity, transaction, type EntityDeclaration } from "../declare/entity.ts";
import { blob } from "../declare/blob.ts";
import { Bucket } from "../declare/bucket.ts";
import { Feed } from "../declare/feed.ts";
import { Limit } from "../declare/limit.ts";
import { Queue } from "../declare/queue.ts";
import { Subscribe } from "../declare/subscribe.ts";
import { Tenant } from "../declare/tenant.ts";
import { Worker } from "../declare/worker.ts";
import { tries } from "../lib/testing/tries.ts";
import type { Bundle } from "../runtime/bundle.ts";
import { bundleOf } from "../runtime/testing/app.ts";
import { testApps } from "./load.ts";

interface Ticket {
  id: ID;
  slug: Unique<string>;
  size: Index<number>;
}

const orgs = Tenant("orgs", (): { readonly role: string } | undefined => undefined);
const teams = Tenant("teams", (): { readonly role: string } | undefined => undefined);
const tickets: EntityDeclaration<Ticket> = Entity<Ticket>("tickets", { tenant: orgs });
const mails = Queue<object>("mails", { tenant: orgs });
const files = Bucket("files", { tenant: orgs });
const chats = Feed<string>("chats", { tenant: orgs });
const posts = Limit("posts", "2/h", { tenant: orgs });
const delivered: (readonly [tenant: string, mail: object])[] = [];
const uploads: (readonly [tenant: string, key: string])[] = [];
const subscriber = Subscribe(files.uploaded, (ctx, { key }) => void uploads.push([ctx.tenant(orgs).id, key]));
const worker = Worker(mails, (ctx, mail) => void delivered.push([ctx.tenant(orgs).id, mail]));

const bundle: Bundle = {
  ...bundleOf([]),
  keepsData: true,
  tenants: [
    { declaration: orgs, name: "orgs", field: "org" },
    { declaration: teams, name: "teams", field: "team" },
  ],
  entities: [
    {
      declaration: tickets as never,
      name: "tickets",
      id: "id",
      transient: [],
      tenant: "orgs",
      indexed: [
        { name: "slug", many: false },
        { name: "size", many: false },
        { name: "id", many: false },
        { name: "@tenant", many: false },
        { name: "@unique:slug", many: false, unique: true },
      ],
      indexes: [
        [
          { field: "@tenant", direction: "asc" },
          { field: "size", direction: "asc" },
        ],
      ],
    },
  ],
  buckets: [{ declaration: files, name: "files" }],
  feeds: [{ declaration: chats, name: "chats" }],
  limits: [{ declaration: posts, name: "posts" }],
  destinations: [
    {
      kind: "queue",
      name: "mails",
      declaration: mails as never,
      tasks: 1,
      exactIntegers: false,
      decode: (each) => each,
    },
  ],
  consumers: [
    {
      kind: "subscribe",
      declaration: subscriber as never,
      variable: "subscriber",
      package: 0,
      service: "subscriber",
      source: { kind: "event", name: "bucket.uploaded:files" },
      delivery: { maxAttempts: 5, minBackoff: 10_000, maxBackoff: 600_000, deadline: 60_000 },
    },
    {
      kind: "worker",
      declaration: worker as never,
      variable: "worker",
      package: 0,
      service: "worker",
      source: { kind: "queue", name: "mails" },
      delivery: { maxAttempts: 5, minBackoff: 10_000, maxBackoff: 600_000, deadline: 60_000 },
    },
  ],
};

const kinds = [
  "create",
  "put",
  "update",
  "delete",
  "get",
  "many",
  "list",
  "named",
  "count",
  "page",
  "send",
  "publish",
  "hear",
  "take",
  "store",
  "read",
  "remove",
  "files",
] as const;

/** Operations to run outside transactions: they open one, or their result does not show a transaction's writes. */
const withoutTransaction: ReadonlySet<string> = new Set(["create", "put", "hear", "take"]);

/** An operation of application code that may use any context, and ids, cursors and members that name other tenants. */
interface Operation {
  readonly place: "a" | "b" | "none" | "team";
  readonly inTransaction: boolean;
  readonly kind: (typeof kinds)[number];
  readonly id: string;
  readonly slug: string;
  readonly size: number;
  readonly forged: object;
}

const ids = ["x", "y", "a/x", "b/x", "b/a/x", "../b/x", "b", "@tenant", "__x__", ""];
const forgeries = [{}, {}, {}, { "@tenant": "b" }, { "@unique:slug": "b/string s" }, { tenant: "b", message: {} }];
const operation: fc.Arbitrary<Operation> = fc.record({
  place: fc.constantFrom("a", "b", "none", "team"),
  inTransaction: fc.boolean(),
  kind: fc.constantFrom(...kinds),
  id: fc.constantFrom(...ids),
  slug: fc.constantFrom("s", "t", "b/s"),
  size: fc.integer({ min: 0, max: 3 }),
  forged: fc.constantFrom(...forgeries),
});

type Documents = Map<string, Ticket>;

/** The expected documents and messages of each tenant, computed without fw. */
class Model {
  readonly a: Documents = new Map();
  readonly b: Documents = new Map();
  readonly mails: (readonly [string, object])[] = [];
  /** The events and uses, by tenant and key. */
  readonly events = new Map<string, string[]>();
  readonly uses = new Map<string, number>();
  /** The text of each tenant's objects by key, and all uploads. */
  readonly objects = { a: new Map<string, string>(), b: new Map<string, string>() };
  readonly uploads: (readonly [string, string])[] = [];

  /** Applies an operation to one tenant. Returns its result, or "refused". */
  apply(tenant: "a" | "b", { kind, id, slug, size, forged }: Operation): unknown {
    const own = this[tenant];
    const ticket = { ...forged, id, slug, size };
    const isTaken = [...own.values()].some((each) => each.slug === slug && each.id !== id);
    const isStored = own.has(id);
    const isForged = Object.keys(forged).some((name) => name.startsWith("@"));
    switch (kind) {
      case "create":
      case "put":
      case "update":
        if (kind === "create" ? isStored : kind === "update" && !isStored) return "refused";
        if (isForged || isTaken || !isId(id)) return "refused";
        own.set(id, ticket);
        return ticket;
      case "delete":
        own.delete(id);
        return undefined;
      case "get":
        return own.get(id);
      case "many":
        return ids.map((each) => own.get(each));
      case "named":
        return sorted([...own.values()].filter((each) => each.id === id));
      case "count":
        return own.size;
      case "send":
        this.mails.push([tenant, { ...forged, slug }]);
        return undefined;
      case "publish":
        this.events.set(`${tenant} ${slug}`, [...(this.events.get(`${tenant} ${slug}`) ?? []), `${tenant} ${size}`]);
        return undefined;
      case "hear":
        return this.events.get(`${tenant} ${slug}`) ?? [];
      case "take": {
        const uses = (this.uses.get(`${tenant} ${slug}`) ?? 0) + 1;
        this.uses.set(`${tenant} ${slug}`, uses);
        return uses > 2 ? "refused" : undefined;
      }
      case "store":
        if (id === "") return "refused";
        this.objects[tenant].set(id, `${tenant} ${size}`);
        this.uploads.push([tenant, id]);
        return id;
      case "read":
        return this.objects[tenant].get(id) ?? "refused";
      case "remove":
        return id === "" ? "refused" : void this.objects[tenant].delete(id);
      case "files":
        return [...this.objects[tenant].keys()].filter((key) => key.startsWith(slug.slice(0, size))).toSorted();
      default:
        return sorted([...own.values()]);
    }
  }
}

function isId(id: string): boolean {
  return id !== "" && !/^__.*__$/.test(id);
}

function sorted(tickets: readonly Ticket[]): readonly Ticket[] {
  return tickets.toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** The state of one run of the operations: its cursors, and the number at the start of its keys. */
interface Run {
  readonly cursors: string[];
  readonly round: number;
}

async function run(
  ctx: Context,
  { kind, id, slug, size, forged, place }: Operation,
  { cursors, round }: Run,
): Promise<unknown> {
  const key = `${round} ${slug}`;
  const ticket = { ...forged, id, slug, size };
  switch (kind) {
    case "create":
      return tickets.create(ctx, ticket);
    case "put":
      return tickets.put(ctx, ticket);
    case "update":
      return tickets.update(ctx, id, () => ticket);
    case "delete":
      return tickets.delete(ctx, id);
    case "get":
      return tickets.find(ctx, id);
    case "many":
      return tickets.getMany(ctx, ids);
    case "named":
      return sorted(await tickets.query().where("id", "==", id).all(ctx));
    case "count":
      return tickets.query().count(ctx);
    case "send":
      await mails.send(ctx, { ...forged, slug });
      return undefined;
    case "publish":
      return chats.publish(ctx, key, `${place} ${size}`);
    case "hear":
      return eventsOf(ctx, key);
    case "take":
      return posts.take(ctx, key);
    case "store":
      return (await files.put(ctx, id, blob(`${place} ${size}`, { type: "text/plain" }))).key;
    case "read":
      return new Response((await files.get(ctx, id)).stream()).text();
    case "remove":
      return files.delete(ctx, id);
    case "files":
      return keysOf(ctx, slug.slice(0, size));
    case "page":
      return pages(ctx, cursors);
    default:
      return sorted(await tickets.query().all(ctx));
  }
}

async function keysOf(ctx: Context, prefix?: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { key } of files.list(ctx, prefix)) keys.push(key);
  return keys;
}

let ends = 0;

/** Reads the events of a key up to an end marker that it publishes itself. */
async function eventsOf(ctx: Context, key: string): Promise<readonly string[]> {
  const end = `end ${++ends}`;
  await chats.publish(ctx, key, end);
  const texts: string[] = [];
  for await (const { data } of chats.events(ctx, key, { after: "0" })) {
    if (data === end) break;
    texts.push(data);
  }
  return texts.filter((text) => !text.startsWith("end "));
}

/** Reads all pages and adds their cursors to `cursors`. */
async function pages(ctx: Context, cursors: string[]): Promise<readonly Ticket[]> {
  const query = tickets.query().orderBy("size").limit(1);
  const all: Ticket[] = [];
  let next: string | undefined;
  do {
    const page = await query.page(ctx, next);
    all.push(...page.items);
    next = page.next;
    if (next !== undefined) cursors.push(next);
  } while (next !== undefined);
  return sorted(all);
}

test("who is present in a feed is known inside of the tenant only", async () => {
  await using app = await testApps(async () => ({ default: bundle }))();
  const [acme, zoo] = [orgs.as(app.ctx(), "acme"), orgs.as(app.ctx(), "zoo")];
  const ada = chats.followPresence(acme, "hall", "ada")[Symbol.asyncIterator]();
  const zoe = chats.followPresence(zoo, "hall", "zoe")[Symbol.asyncIterator]();
  expect([(await ada.next()).value, (await zoe.next()).value]).toEqual([["ada"], ["zoe"]]);
  expect([await chats.presence(acme, "hall"), await chats.presence(zoo, "hall")]).toEqual([["ada"], ["zoe"]]);
  expect(() => chats.followPresence(app.ctx(), "hall", "eve")).toThrow('the feed "chats"');
  for (const client of [ada, zoe]) await client.return?.();
});

test("no id, document, cursor, message, key or object of code with any context reaches another tenant, and none outside of one", async () => {
  let wrongContexts = 0;
  let round = 0;
  await using app = await testApps(async () => ({ default: bundle }))();
  const property = fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
    const ctx = app.ctx();
    const contexts = { a: orgs.as(ctx, "a"), b: orgs.as(ctx, "b"), none: ctx, team: teams.as(ctx, "a") };
    for (const inside of [contexts.a, contexts.b])
      for await (const { id } of tickets.query().each(inside)) await tickets.delete(inside, id);
    for (const inside of [contexts.a, contexts.b])
      for (const key of await keysOf(inside)) await files.delete(inside, key);
    await app.drain();
    delivered.length = 0;
    uploads.length = 0;
    const model = new Model();
    round++;
    const cursors = { a: [] as string[], b: [] as string[] };
    for (const each of operations) {
      const { place } = each;
      const isOwn = place === "a" || place === "b";
      const own = { cursors: isOwn ? cursors[place] : [], round };
      const work = (inner: Context): Promise<unknown> => run(inner, each, own);
      const answer = await (
        each.inTransaction && !withoutTransaction.has(each.kind)
          ? transaction(contexts[place], work)
          : work(contexts[place])
      ).catch((error: unknown) => (isOwn ? "refused" : (error as Error).message));
      if (isOwn) expect(answer, JSON.stringify(each)).toEqual(model.apply(place, each));
      else
        expect(answer).toMatch(/belongs to the tenants "orgs" and was used (outside|inside) a tenant|^an id must have/);
      wrongContexts += isOwn ? 0 : 1;
    }
    for (const [cursor, inside] of [
      [cursors.a[0], contexts.b],
      [cursors.b[0], contexts.a],
    ] as const)
      if (cursor !== undefined)
        await expect(tickets.query().orderBy("size").limit(1).page(inside, cursor)).rejects.toMatchObject({
          status: 400,
        });
    for (const tenant of ["a", "b"] as const)
      expect(sorted(await tickets.query().all(contexts[tenant]))).toEqual(sorted([...model[tenant].values()]));
    await app.drain();
    expect(delivered.toSorted(byText)).toEqual(model.mails.toSorted(byText));
    expect(uploads.toSorted(byText)).toEqual(model.uploads.toSorted(byText));
  });
  await fc.assert(property, { numRuns: tries(8) });
  expect(wrongContexts).toBeGreaterThan(10);
});

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}
