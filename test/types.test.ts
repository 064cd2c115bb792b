import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));

const header = `
import { API, Alert, Auth, Bucket, Channel, Counter, Cron, absent, percentile, rate, ratio, Histogram, Job, Queue, Runner, Singleton, Subscribe, Topic, Worker, Deny, Entity, Policy, RequireRole, Role, Secret, transaction, Page, StatusPage, Service, Site, Errorf, NotFound, Redirect, RedirectPermanent, blob, isNotFound } from "fw";
import type { EntityQuery, ID, Index, Transient, Context, Int, Int64, Path, Query, Form, Header, Cookie, Json, HTML, Status, Blob as Bytes, EndpointDeclaration } from "fw";
const site = Site("./web", { notFound: "404.html", redirects: { "/old": "/new" } });
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
declare function same<A, B>(...proof: Same<A, B> extends true ? [] : [never]): void;
declare const ctx: Context;
interface Order { id: ID; buyer: Index<string>; status: Index<"open" | "paid">; placed: Index<Date>; tags: Index<string[]>; serial: Index<Int64>; gift: Index<boolean>; coupon: Index<string> | null; total: Int; note?: string; cached?: Transient<string> }
const orders = Entity<Order>("orders");
const Editor = Role("editor");
const CanEdit = RequireRole(Editor);
`;

/** Programs that users might write, and the types inferred in them. */
const right: Readonly<Record<string, string>> = {
  "request fields come from the path, the query, a form and the body": `
    export interface Update { id: Path<Int, "order_id">; dryRun?: Query<boolean, "dry_run">; tag?: Query<string[]>; note?: string; big: Int64; any: Json; at: Date; meta: {}; free: unknown; map: Record<string, Int> }
    export const update = API("PATCH /orders/{order_id}", async (ctx, req: Update) => {
      const id: number = req.id; const dry: boolean | undefined = req.dryRun; const tags: string[] | undefined = req.tag;
      return { id, dry, tags };
    }, { signIn: true });
    update.call(ctx, { id: 1, big: 1n, any: { a: [null] }, at: new Date(), dryRun: true, meta: {}, free: 1, map: {} });
  `,
  "fields of any type have their source, also null, absent and constrained ones": `
    import type { MaxLength, Min } from "fw";
    export interface Filter { id: Path & MaxLength<20>; tag?: never; page?: (Query<Int> & Min<1>) | null; sort: Query<"a" | "b"> | undefined; kind: Query<"x"> | Query<"y">; lang: Header<"en" | "de">; theme: Cookie | undefined }
    export const filtered = API("GET /filtered/{id}", async (_ctx, req: Filter) => req.sort);
    export interface Saved { id: Path; nothing: null; maybe: null | undefined; free: unknown; meta: {}; weak: { a?: string }; run: (string | Path); list: Path[]; either: string | { a?: 1 }; code: string & { readonly brand?: "code" } }
    export const saved = API("PUT /saved/{id}", async (_ctx, req: Saved) => req.id);
    export const uploaded = API("POST /uploaded", async (_ctx, req: { file: Form<Bytes> | null; title?: Form | undefined }) => req.title);
  `,
  "headers and cookies stand beside any other field, also on a GET and a page": `
    export const read = API("GET /read", (_ctx, req: { sign: Header<string, "X-Sign">; langs?: Header<string[]>; theme?: Cookie<"light" | "dark">; n: Cookie<Int> }) => {
      const sign: string = req.sign; const langs: string[] | undefined = req.langs; const theme: "light" | "dark" | undefined = req.theme;
      return { sign, langs, theme, n: req.n + 1 };
    });
    read.call(ctx, { sign: "s", n: 1 });
    export const shown = Page("GET /shown", (ctx, _req: { region: Header; beta: Cookie<boolean> }) => site.render(ctx, "a.html"));
    export const posted = API("POST /posted", (_ctx, req: { sign: Header; file: Form<Bytes> }) => req.sign);
  `,
  "a test opens a socket with its request, and has the other end of its messages": `
    import { Socket, type Connection } from "fw";
    import type { TestApp, TestSocket } from "fw/testing";
    interface Said { text: string } interface Heard { at: Date }
    export const room = Socket("GET /rooms/{id}", async (_ctx, { id }: { id: Path; as?: Query }, socket: Connection<Said, Heard>) => void id.length);
    export const all = Socket("GET /all", async (_ctx, _req, socket: Connection<never, Heard>) => {});
    export async function tried(app: TestApp): Promise<void> {
      const socket: TestSocket<Said, Heard> = await app.socket(room, { id: "a" }, { as: app.signIn({ email: "a@x.test" }), headers: { Origin: "x" } });
      await socket.send({ text: "x" });
      const at: Date = (await socket.receive()).at;
      for await (const heard of await app.client().socket(all, {})) same<typeof heard, Heard>();
      // @ts-expect-error: the fields of the path are missing
      await app.socket(room, { as: at.toString() });
      // @ts-expect-error: the message has a different type
      await socket.send({ text: 7 });
      // @ts-expect-error: received messages have a different type
      const text: string = await socket.receive();
    }
  `,
  "metrics take a number and answer nothing": `
    const placed = Counter("orders_placed"); const value = Histogram("order_value");
    same<ReturnType<typeof placed.add>, void>(); same<ReturnType<typeof value.observe>, void>();
    placed.add(ctx, 1); value.observe(ctx, 0.5);
  `,
  "alerts look at endpoints and metrics, each in the ways that it can be measured": `
    const placed = Counter("orders_placed"); const value = Histogram("order_value"); const tried = Counter("tried");
    const list = API("GET /orders/{id}", async (_ctx, req: { id: Path; note?: Query }) => req.id);
    const page = Page("POST /orders", (ctx, _req: { n: Form<Int> }) => site.render(ctx, "a.html"));
    const oncall = Channel("oncall", { email: "oncall@example.com" }); const chat = Channel("chat", { webhook: Secret("HOOK") });
    Alert("a", { if: ratio(list, "5xx").above(0.02), every: "5m", for: "10m", notify: [oncall, chat] });
    Alert("b", { if: rate(page, { status: "4xx" }).below(3), every: "25h", notify: [oncall] });
    const held = [rate(placed), rate(value), ratio(placed, tried), percentile(value, 0.5), percentile(list, 0.99)].map((each) => each.above(1));
    const quiet = absent(list, { status: "2xx" }); const still = [absent(placed), absent(value)];
    Alert("c", { if: quiet, every: "1m", notify: [chat] } satisfies Parameters<typeof Alert>[1]);
  `,
  "fields may be null, and fields may have to be absent": `
    export const odd = API("POST /odd", async (_ctx, req: { nothing: null; gone?: undefined; email?: never; s: string }): Promise<{ ok: boolean }> => ({ ok: req.nothing === null }));
    export const none = API("GET /none/{id}", async (_ctx, req: { id: Path; email?: never }): Promise<string> => req.id);
    odd.call(ctx, { nothing: null, s: "x" });
  `,
  "an unannotated request has the route's parameters": `
    export const item = API("GET /orders/{id}/items/{item}", async (ctx, req) => {
      const text: string = req.id + req.item;
      return { text, at: ctx.requestId };
    });
    export const page = Page("GET /notes/{slug}", async (ctx, { slug }) => site.render(ctx, "note.html", { slug: slug.trim() }));
    item.call(ctx, { id: "1", item: "2" });
  `,
  "the response is inferred": `
    export const plain = API("GET /a", () => [1, 2]);
    export const mixed = API("GET /b", async () => (Math.random() > 1 ? { a: 1 } : { b: "x" }));
    export const nothing = API("DELETE /c/{id}", async (ctx, req: { id: Path }) => { if (req.id === "") throw NotFound(); });
    same<Awaited<ReturnType<typeof plain.call>>, number[]>();
    same<Awaited<ReturnType<typeof nothing.call>>, void>();
    export async function use() { const m = await mixed.call(ctx, {}); return "a" in m ? m.a : m.b; }
    const annotated: EndpointDeclaration<{}, number[]> = plain;
    void annotated;
  `,
  "routes may be built from constants": `
    const base = "/v1" as const;
    const path: string = "/computed";
    export const template = API(\`GET \${base}/orders/{id}\`, async (ctx, req) => req.id.length);
    export const sum = API("GET " + path, async () => 1);
  `,
  "the platform's Blob and File are blobs": `
    export const file = API("GET /file", async () => new Blob(["x"], { type: "text/plain" }));
    export const made = API("GET /made", async () => blob(new Uint8Array(1), { type: "image/png", etag: "v1" }));
    export const upload = API("POST /file", async (ctx, req: { file: Form<Bytes>; alt?: Form; id: Query }) => req.file.size);
    upload.call(ctx, { file: new File(["x"], "x.txt"), id: "1" });
  `,
  "pages return HTML, redirects and blobs": `
    export interface Save { id: Path; title: Form; tags: Form<string[]>; mode?: Form<"draft" | "final"> }
    export const save = Page("POST /notes/{id}", async (ctx, req: Save) => {
      if (ctx.isHTMX) return site.fragment(ctx, "row.html", req);
      if (req.mode === "draft") return Redirect("/notes");
      return req.title === "" ? RedirectPermanent("/") : blob("x", { type: "text/plain" });
    });
    export const cached = Page("GET /about", async (ctx) => site.render(ctx, "about.html"), { maxAge: "10m" });
    export const open = Page("GET /open", async (ctx) => site.render(ctx, "open.html"), { maxAge: "1h", signIn: false });
  `,
  "status pages, services and errors": `
    export const status = StatusPage(async (ctx, s: Status): Promise<HTML> => site.render(ctx, "status.html", { code: s.code, policy: s.policy }));
    export const web = Service({ domain: "shop.example.org", profile: "latency" });
    const domain: string = web.domain();
    export const failing = API("GET /fail", async (): Promise<never> => { throw Errorf(422, domain); });
    export function check(error: unknown): number { return isNotFound(error) ? error.status : 0; }
  `,
  "plain values fit the fields of an entity, and come back as its type": `
    export const place = API("POST /orders", async (ctx, req: { total: Int; note?: string }): Promise<Order> =>
      orders.create(ctx, { buyer: "ann", status: "open", placed: new Date(), tags: [], serial: 1n, gift: false, coupon: null, ...req }));
    export async function use(id: string) {
      const order = await orders.get(ctx, id);
      same<typeof order, Order>();
      const path: Path = order.id; const buyer: string = order.buyer;
      await orders.update(ctx, id, (o) => { o.total = 5; });
      await orders.update(ctx, id, async (o) => ({ ...o, status: "paid" }));
      same<number, Awaited<ReturnType<typeof sum>>>();
      return [path, buyer];
    }
    const sum = () => transaction(ctx, async (tx) => (await orders.get(tx, "a")).total + 0);
    interface Draft { id: ID; made: Transient<number> }
    const drafts = Entity<Draft>("drafts");
    export const draft = async () => { const d = await drafts.create(ctx, {}); const made: number | undefined = d.made; return made; };
  `,
  "the values of a query follow its fields": `
    let q = orders.query().where("buyer", "==", "ann").where("status", "in", ["open"]).where("tags", "contains", "x")
      .where("serial", "<", 5n).where("gift", "==", true).where("coupon", "==", null).where("placed", ">=", new Date());
    q = q.orderBy("placed", "desc").limit(20);
    const narrow = (each: EntityQuery<Order>): EntityQuery<Order> => each.where("status", "==", "paid");
    export async function use() {
      const { items, next } = await narrow(q).page(ctx, undefined);
      same<typeof items, Order[]>(); same<typeof next, string | undefined>();
      for await (const each of q.each(ctx)) each.placed.getTime();
      return [await q.all(ctx), await q.first(ctx), await q.count(ctx)];
    }
  `,
  "entities of alternatives": `
    type Event = { id: ID; kind: Index<"made">; by: string } | { id: ID; kind: Index<"sold">; price: Int };
    const events = Entity<Event>("events");
    export const sold = () => events.create(ctx, { kind: "sold", price: 5 });
    export const made = () => events.query().where("kind", "==", "made").all(ctx);
  `,
  "who may sign in, and who may do what": `
    export const auth = Auth({ social: true, password: false });
    const on = { password: true };
    export const other = Auth({ password: on.password });
    export const Verified = Policy((ctx, user) => (user.emailVerified ? undefined : Deny("verify your address first")));
    export const Free = Policy(async (ctx, user) => { if ((await orders.query().where("buyer", "==", user.id).count(ctx)) > 9) return Deny("no more"); });
    export const CanRead = RequireRole(Editor, Role("reader"));
    export const mailKey = Secret("MAIL_KEY");
    const key: string = mailKey.value();
    export const edit = API("POST /a", async (ctx) => (ctx.user().hasRole(Editor) ? key : ""), { allow: CanEdit, signIn: true, private: false });
    export const grant = API("POST /b/{id}", async (ctx, { id }) => auth.users.grant(ctx, id, Editor), { allow: Verified });
  `,
  "handlers of background work get what was sent": `
    const emails = Queue<{ to: string; at: Date; size: Int64 }>("emails");
    const placed = Topic<Order>("placed");
    const photos = Bucket("photos");
    const auth = Auth({ social: true });
    const rebuild = Job<{ since: Date }>("rebuild");
    const compact = Job("compact");
    export const a = Worker(emails, async (ctx, email, { attempt, id }) => { const n: bigint = email.size; ctx.log.info(email.to + attempt + id, { n }); }, { maxAttempts: 5, minBackoff: "1s", rateLimit: 0.5 });
    export const b = Subscribe(placed, (ctx, order) => emails.send(ctx, { to: order.buyer, at: order.placed, size: 1n }, { delay: "5m" }));
    export const c = Subscribe(photos.uploaded, async (ctx, object) => photos.delete(ctx, object.key));
    export const d = Subscribe(auth.registered, async (ctx, user) => ctx.log.info(user.email));
    export const e = Subscribe(emails.dead, async (ctx, letter) => ctx.log.info(letter.message.to + letter.reason));
    export const f = Runner(rebuild, async (ctx, { since }, run) => { const day: Date = since; ctx.log.info(day.toISOString() + run.task); }, { attempts: 0, tasks: 4, timeout: "1h" });
    export const g = Runner(compact, async (ctx) => {});
    export const h = Cron("nightly", "0 3 * * *", (ctx) => rebuild.start(ctx, { since: ctx.now() }), { timezone: "Europe/Zurich", deadline: "5m" });
    export const i = Cron("sweep", "every 15m", async (ctx) => compact.start(ctx));
    export const j = Singleton("relay", async (ctx) => { while (!ctx.signal.aborted) await placed.publish(ctx, await orders.get(ctx, "1")); });
  `,
  "requests may be composed": `
    interface Paged { page?: Query<Int>; size?: Query<Int> }
    export interface List extends Paged { owner: Path }
    export const list = API("GET /{owner}/list", async (ctx, req: List) => req.page ?? 0);
    export const pick = API("GET /{owner}/pick", async (ctx, req: Pick<List, "owner" | "size">) => req.size ?? 0);
    export const both = API("PUT /{owner}/both", async (ctx, req: Pick<List, "owner"> & { title: string }) => req.title);
    export type Shape = { kind: "a"; a: number } | { kind: "b"; b: string };
    export const nested = API("POST /shapes", async (ctx, req: { shape: Shape }) => (req.shape.kind === "a" ? req.shape.a : 0));
  `,
};

/** Programs that break a rule, and the message that an editor shows. */
const wrong: readonly (readonly [rule: string, program: string, text: string])[] = [
  [
    "a copy of a context",
    "((copy: Context) => copy)({ ...ctx })",
    "is missing the following properties from type 'Context'",
  ],
  [
    "fw/route-params",
    `API("GET /orders/{id}", async (ctx, req: { nid: Query }) => 1)`,
    "fw/route-params: {id} has no Path field in the request",
  ],
  [
    "fw/route-params",
    `API("GET /orders", async (ctx, req: { id: Path }) => 1)`,
    "fw/route-params: the route has no {id}",
  ],
  [
    "fw/route-params",
    `API("GET /{order_id}", async (ctx, req: { id: Path<Int> }) => 1)`,
    "fw/route-params: {order_id} has no Path field",
  ],
  [
    "fw/route-params",
    `Page("GET /{a}/{b}", async (ctx, req: { a: Path }) => site.render(ctx, "x"))`,
    "fw/route-params: {b} has no Path field",
  ],
  [
    "fw/body-on-get",
    `API("GET /orders", async (ctx, req: { page?: Int }) => 1)`,
    "fw/body-on-get: page would be read from a body",
  ],
  [
    "fw/page-binding",
    `Page("POST /orders", async (ctx, req: { title: string }) => site.render(ctx, "x"))`,
    "fw/page-binding: title would be read from a JSON body",
  ],
  [
    "fw/page-binding",
    `Page("GET /orders", async (ctx, req: { title: string }) => site.render(ctx, "x"))`,
    "fw/page-binding: title would be read from a JSON body",
  ],
  ...["null", "{}", "unknown", "string | Query", "Query[]", "{ a?: 1 }", "Json", "string & { brand?: 1 }"].map(
    (type): readonly [string, string, string] => [
      "fw/body-on-get",
      `API("GET /orders", async (ctx, req: { page: Query; field: ${type} }) => 1)`,
      "fw/body-on-get: field would be read from a body",
    ],
  ),
  [
    "fw/route-params",
    `API("POST /orders", async (ctx, req: { title: string; other: Path & Query }) => 1)`,
    "fw/route-params: the route has no {other}",
  ],
  [
    "fw/blob-binding",
    `API("POST /orders", async (ctx, req: { f: Bytes | null; g?: string }) => 1)`,
    "fw/blob-binding: a file comes in a form; make f a Form<Blob>",
  ],
  [
    "fw/blob-binding",
    `API("GET /orders", async (ctx, req: { f: Form<Bytes> }) => 1)`,
    "fw/blob-binding: a GET carries no file, such as f",
  ],
  [
    "fw/blob-binding",
    `API("POST /orders", async (ctx, req: { f: Bytes }) => 1)`,
    "fw/blob-binding: a file comes in a form; make f a Form<Blob>",
  ],
  [
    "fw/blob-binding",
    `API("POST /orders", async (ctx, req: { f: Form<Bytes>; x: string }) => 1)`,
    "fw/blob-binding: beside a file every field is Path, Query or Form; mark x",
  ],
  ["fw/const-route", `API("FETCH /orders", async () => 1)`, "fw/const-route: a route needs a method and a path"],
  [
    "fw/const-route",
    `Page("GET orders", async (ctx) => site.render(ctx, "x"))`,
    "fw/const-route: a route needs a method and a path",
  ],
  ["fw/max-age", `Page("GET /", async (ctx) => site.render(ctx, "x"), { maxAge: "10" })`, "fw/max-age: "],
  ["fw/max-age", `Page("GET /", async (ctx) => site.render(ctx, "x"), { maxAge: "10 minutes" })`, "fw/max-age: "],
  [
    "fw/cache-signin",
    `Page("GET /", async (ctx) => site.render(ctx, "x"), { signIn: true, maxAge: "10m" })`,
    "fw/cache-signin: ",
  ],
  [
    "fw/cache-signin",
    `Page("GET /", async (ctx) => site.render(ctx, "x"), { allow: CanEdit, maxAge: "10m" })`,
    "fw/cache-signin: ",
  ],
  ["fw/auth-provider", "Auth({})", "fw/auth-provider: Auth needs a sign-in provider"],
  ["fw/auth-provider", "Auth({ social: false })", "fw/auth-provider: Auth needs a sign-in provider"],
  [
    "fw/auth-provider",
    "Auth({ social: false, password: undefined })",
    "fw/auth-provider: Auth needs a sign-in provider",
  ],
  ["a mistyped provider", "Auth({ social: true, passwrd: true })", "Type 'true' is not assignable to type 'never'"],
  ["fw/empty-role", "RequireRole()", "fw/empty-role: RequireRole needs at least one role"],
  ["a role that is none", `RequireRole("editor")`, "not assignable to parameter of type 'RoleDeclaration'"],
  ["fw/policy-private", `API("GET /", async () => 1, { allow: CanEdit, private: true })`, "fw/policy-private: "],
  [
    "a policy that is a function",
    `API("GET /", async () => 1, { allow: async () => undefined })`,
    "not assignable to type 'PolicyDeclaration<",
  ],
  [
    "a policy that is a role",
    `API("GET /", async () => 1, { allow: Editor })`,
    "not assignable to type 'PolicyDeclaration<",
  ],
  ["a role that is a secret", `RequireRole(Secret("A"))`, "not assignable to parameter of type 'RoleDeclaration'"],
  [
    "bind-type",
    `API("GET /{id}", async (ctx, req: { id: Path<string[]> }) => 1)`,
    "does not satisfy the constraint 'Scalar'",
  ],
  [
    "a mistyped setting",
    `API("GET /", async () => 1, { singIn: true })`,
    "'singIn' does not exist in type 'RouteConfig<",
  ],
  ["a mistyped parameter", `API("GET /{id}", async (ctx, req) => req.nope)`, "Property 'nope' does not exist on type"],
  ["a page that returns text", `Page("GET /", async (ctx) => "text")`, "not assignable to type 'PageResult'"],
  [
    "a wrong argument of a call",
    `API("GET /{id}", async (ctx, req: { id: Path<Int> }) => 1).call(ctx, { id: "x" })`,
    "Type 'string' is not assignable to type",
  ],
  ["fw/unindexed-query", `orders.query().where("total", ">", 5)`, "fw/unindexed-query: total is not an Index field"],
  ["fw/unindexed-query", `orders.query().orderBy("note")`, "fw/unindexed-query: note is not an Index field"],
  ["fw/unindexed-query", `orders.query().orderBy("tags")`, "fw/unindexed-query: tags is a list, which has no order"],
  ["fw/entity-id", `Entity<{ id: any }>("x")`, "fw/entity-id: the type of an entity needs a field of the type ID"],
  ["fw/entity-id", `Entity<{ id: string }>("x")`, "fw/entity-id: the type of an entity needs a field of the type ID"],
  [
    "fw/entity-id",
    `Entity<{ a: ID; b: ID }>("x")`,
    "fw/entity-id: the type of an entity can have only one field of the type ID",
  ],
  ["a wrong value of a filter", `orders.query().where("status", "==", "lost")`, "not assignable to parameter of type"],
  ["an operator that a list has not", `orders.query().where("tags", "==", "x")`, "not assignable to parameter of type"],
  ["a document without a field", `orders.create(ctx, { buyer: "ann" })`, "missing the following properties"],
  ["a worker of a topic", `Worker(Topic<string>("t"), async () => {})`, "type 'QueueDeclaration<"],
  ["a subscriber of a queue", `Subscribe(Queue<string>("q"), async () => {})`, "type 'EventSource<"],
  ["a runner of a queue", `Runner(Queue<string>("q"), async () => {})`, "type 'JobDeclaration<"],
  [
    "a message of another type",
    `Queue<{ to: string }>("q").send(ctx, { to: 1 })`,
    "Type 'number' is not assignable to type 'string'",
  ],
  ["arguments of another type", `Job<{ since: Date }>("j").start(ctx, {})`, "Property 'since' is missing"],
  ["a job without its arguments", `Job<{ since: Date }>("j").start(ctx)`, "Expected 2 arguments, but got 1"],
  [
    "a handler of another message",
    `Worker(Queue<string>("q"), async (ctx, message: number) => {})`,
    "not assignable to",
  ],
  [
    "a pace of a topic",
    `Subscribe(Topic<string>("t"), async () => {}, { rateLimit: 5 })`,
    "'rateLimit' does not exist in type 'TopicDelivery'",
  ],
  [
    "a deadline that is no duration",
    `Cron("c", "every 1h", async () => {}, { deadline: "soon" })`,
    "is not assignable to type",
  ],
  [
    "fw/singleton-max",
    `Singleton("s", async () => {}, { traffic: { maxInstances: 3 } })`,
    "fw/singleton-max: a singleton always has one running instance",
  ],
  ["internals", `API("GET /", async () => 1).handler`, "Property 'handler' does not exist"],
];

// Only one compiler also checks fw's own declarations, which takes seconds in the other.
const compilers = [
  ["TypeScript 7", { compiler: "typescript", skipLibCheck: false }],
  ["TypeScript 6", { compiler: "typescript-6", skipLibCheck: true }],
] as const;
const settings = { strict: true, noEmit: true, module: "NodeNext", target: "ES2023", lib: ["ES2023"], types: [] };
let directory = "";

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "fw-types-"));
  mkdirSync(join(directory, "node_modules"));
  symlinkSync(join(root, "packages/fw"), join(directory, "node_modules/fw"), "dir");
  writeFileSync(join(directory, "package.json"), `{ "type": "module" }`);
  for (const [i, program] of Object.values(right).entries())
    writeFileSync(join(directory, `right-${i}.ts`), header + program);
  for (const [i, [, program]] of wrong.entries())
    writeFileSync(join(directory, `wrong-${i}.ts`), `${header}\nexport const declared = ${program};\n`);
});

afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe.each(compilers)("under %s", (_, { compiler, skipLibCheck }) => {
  let errors: ReadonlyMap<string, string>;

  // A separate application with only the types of fw and its dependencies.
  beforeAll(() => {
    const compilerOptions = { ...settings, skipLibCheck };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["*.ts"] }));
    errors = compile(compiler);
  });

  test("the declarations of fw are right", () => {
    expect([...errors.keys()].filter((file) => !/^(?:right|wrong)-/.test(file))).toEqual([]);
  });

  test.each(Object.keys(right).map((title, i) => [title, i] as const))("%s", (_, i) => {
    expect(errors.get(`right-${i}.ts`)).toBeUndefined();
  });

  test.each(wrong.map(([rule, program, text], i) => [rule, program, text, i] as const))(
    "%s is shown for %s",
    (_, __, text, i) => {
      expect(errors.get(`wrong-${i}.ts`)).toContain(text);
    },
  );
});

// TypeScript evaluates the rules of routes for each field of each request, in editors and for `fw check`.
test("the check of an endpoint with six fields takes TypeScript at most 230 instantiations", () => {
  const project = join(directory, "cost");
  mkdirSync(project);
  const endpoints = Array.from({ length: 100 }, (_, i) => {
    const fields = (type: string): string => [1, 2, 3, 4, 5, 6].map((n) => `f${n}: ${type}`).join("; ");
    return `
export interface Get${i} { id: Path; ${fields(`Query<"a${i}" | "b">`)} }
export const get${i} = API("GET /r${i}/{id}", async (_ctx, req: Get${i}): Promise<string> => req.id);
export interface Post${i} { id: Path; ${fields(`{ a: "x${i}" }[]`)} }
export const post${i} = API("POST /r${i}/{id}", async (_ctx, req: Post${i}): Promise<string> => req.id);`;
  });
  writeFileSync(join(project, "app.ts"), `import { API, type Path, type Query } from "fw";${endpoints.join("")}`);
  const compilerOptions = { ...settings, skipLibCheck: true };
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["app.ts"] }));
  const stdout = runCompiler("typescript", project, "--extendedDiagnostics", "--singleThreaded");
  expect(stdout).not.toContain("error");
  expect(Number(/^Instantiations:\s+(\d+)$/m.exec(stdout)?.[1]) / 200).toBeLessThan(230);
});

/** Returns the errors of each file. */
function compile(compiler: string): ReadonlyMap<string, string> {
  const stdout = runCompiler(compiler, directory);
  const errors = new Map<string, string>();
  let file = "";
  for (const line of stdout.split("\n").filter((line) => line !== "")) {
    file = /^(\S+?)\(\d+,\d+\): error/.exec(line)?.[1] ?? file;
    errors.set(file, `${errors.get(file) ?? ""}${line}\n`);
  }
  return errors;
}

function runCompiler(compiler: string, project: string, ...options: readonly string[]): string {
  const tsc = join(root, "node_modules", compiler, "bin/tsc");
  const args = [tsc, "-p", project, "--pretty", "false", ...options];
  return spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" }).stdout;
}
