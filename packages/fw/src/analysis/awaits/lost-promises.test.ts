import { describe, expect, test } from "vitest";
import type {
  API,
  BucketDeclaration,
  Counter,
  EntityDeclaration,
  FeedDeclaration,
  ID,
  LimitDeclaration,
  MailDeclaration,
  Page,
  QueueDeclaration,
  RecordedJob,
  SecretDeclaration,
  Site,
  TenantDeclaration,
  TopicDeclaration,
  Users,
} from "../../declare/index.ts";
import type { Tokens } from "../../declare/token.ts";
import { applyEdits } from "../../workspace/fixes.ts";
import { filesOf } from "../testing/app.ts";
import { useAppBench } from "../testing/app-bench.ts";
import { promisedOperations } from "./promised.ts";

const bench = useAppBench();

type PromiseMethods<T> = {
  [Key in keyof T & string]: T[Key] extends (...args: never[]) => Promise<unknown> ? Key : never;
}[keyof T & string];

/** The methods that return a promise, including the second methods of chains. */
type PromisePaths<T> =
  | PromiseMethods<T>
  | {
      [Key in keyof T & string]: T[Key] extends (...args: never[]) => infer Result
        ? Result extends Promise<unknown>
          ? never
          : `${Key}.${PromiseMethods<Result>}`
        : never;
    }[keyof T & string];

interface Note {
  id: ID;
  text: string;
}

interface Paths {
  api: PromisePaths<ReturnType<typeof API>>;
  page: PromisePaths<ReturnType<typeof Page>>;
  entity: PromisePaths<EntityDeclaration<Note>>;
  auth: `users.${PromisePaths<Users>}` | `tokens.${PromisePaths<Tokens>}`;
  bucket: PromisePaths<BucketDeclaration>;
  queue: PromisePaths<QueueDeclaration<string>>;
  topic: PromisePaths<TopicDeclaration<string>>;
  job: PromisePaths<RecordedJob<string>>;
  limit: PromisePaths<LimitDeclaration>;
  feed: PromisePaths<FeedDeclaration<string>>;
  mail: PromisePaths<MailDeclaration<string>>;
  tenant: PromisePaths<TenantDeclaration>;
}

type HasNone<Paths> = [Paths] extends [never] ? true : false;

/** Declarations without operations that return a promise. Fails to compile once one of them gets such an operation. */
const none: Readonly<Record<"secret" | "counter" | "site", true>> = {
  secret: true satisfies HasNone<PromisePaths<SecretDeclaration>>,
  counter: true satisfies HasNone<PromisePaths<ReturnType<typeof Counter>>>,
  site: true satisfies HasNone<PromisePaths<ReturnType<typeof Site>>>,
};

const declarations = `
import { API, Auth, Bucket, Counter, Entity, Feed, Job, Limit, Mail, Page, Queue, Runner, Site, Tenant, Topic, Worker, blob, transaction, type Context, type ID, type Index, type MailMessage, type Path } from "fw";
export interface Note { id: ID; text: string; n: Index<number>; done: Index<boolean> }
export const notes = Entity<Note>("notes", { tenant: "shared" });
export const auth = Auth({ social: true, tokens: true });
export const photos = Bucket("photos", { tenant: "shared" });
export const mails = Queue<MailMessage>("mails", { tenant: "shared" });
export const mailer = Worker(mails, () => undefined);
export const placed = Topic<string>("placed", { tenant: "shared" });
export const rebuild = Job<string>("rebuild", { history: "90d", tenant: "shared" });
export const rebuilder = Runner(rebuild, () => undefined);
export const signUp = Limit("sign-up", "10/h", { tenant: "shared" });
export const ticks = Feed<string>("ticks", { tenant: "shared" });
export interface Member { id: ID }
export const members = Entity<Member>("members", { tenant: "shared" });
export const orgs = Tenant("orgs", (ctx, user, { org }: { org: Path }) => members.find(ctx, org + user.id));
export const site = Site("./pages");
export const hello = Mail("hello", (ctx, name: string) => site.markdown(ctx, name), { queue: mails });
export const get = API("GET /get", () => 1);
export const home = Page("GET /home", () => "home");
export const hits = Counter("hits");
const items = ["a", "b"];
const note = { id: "1", text: "a", n: 1, done: true };
`;

/** A call of each operation that returns a promise. Fails to compile if one is missing. */
const calls: { readonly [Kind in keyof Paths]: Readonly<Record<Paths[Kind], string>> } = {
  api: { call: "get.call(ctx, {})" },
  page: { call: "home.call(ctx, {})" },
  entity: {
    get: 'notes.get(ctx, "1")',
    find: 'notes.find(ctx, "1")',
    getMany: 'notes.getMany(ctx, ["1"])',
    create: "notes.create(ctx, note)",
    put: "notes.put(ctx, note)",
    update: 'notes.update(ctx, "1", (each) => each)',
    delete: 'notes.delete(ctx, "1")',
    "query.all": 'notes.query().where("n", "==", 1).all(ctx)',
    "query.first": "notes.query().first(ctx)",
    "query.count": "notes.query().count(ctx)",
    "query.countBy": 'notes.query().countBy(ctx, "done")',
    "query.sum": 'notes.query().sum(ctx, "n")',
    "query.average": 'notes.query().average(ctx, "n")',
    "query.page": "notes.query().limit(5).page(ctx)",
  },
  auth: {
    "users.create": 'auth.users.create(ctx, { email: "a@example.com" })',
    "users.get": 'auth.users.get(ctx, "1")',
    "users.byEmail": 'auth.users.byEmail(ctx, "a")',
    "users.list.page": "auth.users.list(ctx).limit(5).page()",
    "users.grant": 'auth.users.grant(ctx, "1", undefined as never)',
    "users.revoke": 'auth.users.revoke(ctx, "1", undefined as never)',
    "users.disable": 'auth.users.disable(ctx, "1")',
    "users.enable": 'auth.users.enable(ctx, "1")',
    "users.delete": 'auth.users.delete(ctx, "1")',
    "tokens.create": 'auth.tokens.create(ctx, { id: "1" }, { name: "a" })',
    "tokens.list": 'auth.tokens.list(ctx, { id: "1" })',
    "tokens.revoke": 'auth.tokens.revoke(ctx, { id: "1" }, "2")',
  },
  bucket: {
    get: 'photos.get(ctx, "a")',
    put: 'photos.put(ctx, "a", blob("a"))',
    delete: 'photos.delete(ctx, "a")',
    exists: 'photos.exists(ctx, "a")',
    signedPut: 'photos.signedPut(ctx, "a", "1h")',
    signedGet: 'photos.signedGet(ctx, "a", "1h")',
  },
  queue: { send: "mails.send(ctx, {} as MailMessage)", cancel: 'mails.cancel(ctx, "a")' },
  topic: { publish: 'placed.publish(ctx, "a")' },
  job: {
    start: 'rebuild.start(ctx, "a")',
    get: 'rebuild.get(ctx, "1")',
    list: "rebuild.list(ctx)",
    cancel: 'rebuild.cancel(ctx, "1")',
  },
  limit: { take: 'signUp.take(ctx, "a")' },
  feed: { publish: 'ticks.publish(ctx, "a", "b")', presence: 'ticks.presence(ctx, "a")' },
  mail: { render: 'hello.render(ctx, "a")', send: 'hello.send(ctx, "a", { to: "a@example.com" })' },
  tenant: { enter: 'orgs.enter(ctx, "a")' },
};

/** Analyzes handlers and returns the messages about each of them. */
async function messages(bodies: readonly string[]): Promise<readonly (readonly string[])[]> {
  const handlers = bodies.map(
    (body, index) => `export const h${index} = API("POST /h${index}", async (ctx): Promise<void> => { ${body} });`,
  );
  const before = declarations.split("\n").length;
  const app = `-- shop/pages/templates/a.html --\n<p>a</p>\n-- shop/shop.ts --${declarations}${handlers.join("\n")}\n`;
  const diagnostics = await bench.diagnose(app);
  expect(diagnostics.filter(({ code }) => code !== "fw/not-awaited")).toEqual([]);
  return bodies.map((_, index) =>
    diagnostics.filter(({ at }) => at.line === before - 1 + index).map(({ message }) => message),
  );
}

test("the operations that return a promise are those of the declarations' types", () => {
  expect(Object.keys(none).filter((kind) => kind in promisedOperations)).toEqual([]);
  const paths = Object.entries(calls).map(([kind, each]) => [kind, Object.keys(each).toSorted()]);
  const listed = Object.entries(promisedOperations).map(([kind, each]) => [kind, each.toSorted()]);
  expect(listed.toSorted()).toEqual(paths.toSorted());
});

const every = [
  ...Object.values(calls).flatMap((each) => Object.values(each)),
  "transaction(ctx, async () => undefined)",
];

describe("an operation that is not awaited is an error", () => {
  test("whichever it is", async () => {
    const all = await messages(every.map((call) => `${call};`));
    expect(all.flatMap((each, index) => (each.length === 1 ? [] : [every[index]]))).toEqual([]);
  });

  test("unless it is awaited, returned, kept, handled or marked with void", async () => {
    const uses = every.flatMap((call) => [
      `await ${call};`,
      `void ${call};`,
      `const run = () => ${call}; await run();`,
      `const kept = ${call}; await kept;`,
      `${call}.catch(() => undefined);`,
    ]);
    const all = await messages(uses);
    expect(all.flatMap((each, index) => (each.length === 0 ? [] : [uses[index]]))).toEqual([]);
  });
});

const write = "notes.put(ctx, note)";
const consequence = "the handler may end first, and a failure stops the service";
const statement = (text: string): string => `\`${text}\` is not awaited: ${consequence}`;

test.each([
  [`if (items.length > 0) ${write};`, statement(write)],
  [`for (const _ of items) ${write};`, statement(write)],
  [`try { ${write} } catch {}`, statement(write)],
  [`items.length > 0 && ${write};`, statement(write)],
  [`items.length > 0 ? ${write} : undefined;`, statement(write)],
  [`${write}, hits.add(ctx, 1);`, statement(write)],
  [`(${write} as Promise<unknown>)!;`, statement(write)],
  [`notes?.put(ctx, note);`, statement("notes?.put(ctx, note)")],
  [`const { put } = notes; put(ctx, note);`, statement("put(ctx, note)")],
  [`const store = notes; store["put"](ctx, note);`, statement('store["put"](ctx, note)')],
  [`${write}.then(() => 1);`, statement("notes.put(ctx, note).then(() => 1)")],
  [`${write}.finally(() => 1);`, statement("notes.put(ctx, note).finally(() => 1)")],
  [`Promise.all([${write}, ${write}]);`, statement("Promise.all([notes.put(ctx, note), note…")],
  [`Promise.all(items.map(() => ${write}));`, statement("Promise.all(items.map(() => notes.put(c…")],
  [`(async () => { await ${write}; })();`, statement("(async () => { await notes.put(ctx, not…")],
  [`items.forEach(() => ${write});`, `forEach does not wait for \`${write}\`: ${consequence}`],
  [`items.forEach(() => { return ${write}; });`, `forEach does not wait for \`${write}\`: ${consequence}`],
  [`items.forEach(async () => { await ${write}; });`, `forEach does not wait for \`${write}\`: ${consequence}`],
  [
    `[items].forEach((each) => each.forEach(() => ${write}));`,
    `forEach does not wait for \`${write}\`: ${consequence}`,
  ],
  [`[items].map((each) => each.forEach(() => ${write}));`, `forEach does not wait for \`${write}\`: ${consequence}`],
  [`(() => items.map(() => ${write}))();`, `the promises of \`${write}\` in this map are not awaited: ${consequence}`],
  [
    `(async () => { try { await ${write}; } finally { hits.add(ctx, 1); } })();`,
    statement("(async () => { try { await notes.put(ct…"),
  ],
  [`(async () => { try {} catch { await ${write}; } })();`, statement("(async () => { try {} catch { await not…")],
  [`try { (async () => { await ${write}; })(); } catch {}`, statement("(async () => { await notes.put(ctx, not…")],
  [`items.forEach(() => { ${write}; });`, statement(write)],
  [`items.map(() => ${write});`, `the promises of \`${write}\` in this map are not awaited: ${consequence}`],
  [
    `items.map(async () => { await ${write}; });`,
    `the promises of \`${write}\` in this map are not awaited: ${consequence}`,
  ],
])("a dropped promise is found: %s", async (body, message) => {
  expect(await messages([body])).toEqual([[message]]);
});

test.each([
  `await Promise.all(items.map(() => ${write}));`,
  `await Promise.all(items.map(async () => { await ${write}; }));`,
  `await Promise.all(items.length > 0 ? [${write}] : []);`,
  `void Promise.all([${write}]);`,
  `const stream = { forEach: async (_run: () => unknown) => {} }; await stream.forEach(async () => { await ${write}; });`,
  `void items.forEach(async () => { await ${write}; });`,
  `items.forEach(() => void ${write});`,
  `${write}.then(() => 1, () => 2);`,
  `Promise.all([${write}]).catch(() => 1);`,
  `const all = items.map(() => ${write}); await Promise.all(all);`,
  `const all: Promise<unknown>[] = []; items.forEach(() => { all.push(${write}); }); await Promise.all(all);`,
  `const notes = { put: (..._args: unknown[]) => 1 }; notes.put(ctx, note);`,
  `hits.add(ctx, 1); notes.query(); auth.users.list(ctx); photos.list(ctx); ticks.events(ctx, "a");`,
  `(async () => { await ${write}; })().catch(() => 1);`,
  `(async () => { try { await ${write}; } catch {} })();`,
  `items.forEach(async () => { try { if (items.length > 0) await ${write}; } catch {} });`,
  `for await (const _ of notes.query().each(ctx)) await ${write};`,
  `setTimeout(async () => { await ${write}; }, 1);`,
])("code that says what happens to the promise passes: %s", async (body) => {
  expect(await messages([body])).toEqual([[]]);
});

test("an operation that another package or a helper calls is found where it is dropped", async () => {
  const app = `-- shop/shop.ts --
import { API, Entity, type ID } from "fw";
import { keep } from "../lib/keep.ts";
export interface Note { id: ID }
export const notes = Entity<Note>("notes");
export const save = API("POST /save", (ctx) => keep(ctx));
-- lib/keep.ts --
import * as fw from "fw";
import * as shop from "../shop/shop.ts";
export const keep = (ctx: fw.Context): void => { shop.notes.put(ctx, { id: "1" }); };
export const all = (ctx: fw.Context): void => { fw.transaction(ctx, async () => undefined); };
`;
  const diagnostics = await bench.diagnose(app);
  expect(diagnostics.map(({ code, at, fix }) => [code, at.path, at.line, fix])).toEqual([
    ["fw/not-awaited", "lib/keep.ts", 3, undefined],
    ["fw/not-awaited", "lib/keep.ts", 4, undefined],
  ]);
});

test.each([
  [`${write};`, `await ${write};`],
  [`items.length > 0 && ${write};`, `items.length > 0 && await ${write};`],
  [`${write}.then(() => 1);`, `await ${write}.then(() => 1);`],
  [`items.map(() => ${write});`, `await Promise.all(items.map(() => ${write}));`],
  [`Promise.all([${write}]);`, `await Promise.all([${write}]);`],
  [`(() => items.map(() => ${write}))();`, `await Promise.all((() => items.map(() => ${write}))());`],
  [`items.forEach(() => ${write});`, undefined],
  [`[items].map((each) => each.forEach(() => ${write}));`, undefined],
  [`items.forEach(() => { ${write}; });`, undefined],
])("the fix awaits it in an async function: %s", async (before, after) => {
  const app = (body: string): string =>
    `-- shop/shop.ts --${declarations}export const h = API("POST /h", async (ctx) => { ${body} });\n`;
  const problem = (await bench.diagnose(app(before))).find(({ code }) => code === "fw/not-awaited");
  const source = filesOf(app(before)).get("shop/shop.ts") ?? "";
  const fixed = problem?.fix && applyEdits(source, problem.fix.edits);
  expect(fixed).toBe(after === undefined ? undefined : filesOf(app(after)).get("shop/shop.ts"));
});
