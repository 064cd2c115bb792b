/** An operation of fw that code can run, with the same result in every topology. */
export interface Operation {
  readonly name: string;
  /** The declarations that it needs; `#` is a number that makes their names unique. */
  readonly declares: string;
  /** The names of the declarations that it uses. */
  readonly names: readonly string[];
  /** The body of an async function with the parameters `ctx: Context` and `arg: string`. */
  readonly body: string;
  /** True if it only reads entities, as a live page must. */
  readonly onlyReads?: true;
  /** True if it needs a request. */
  readonly inRequest?: true;
  /** True if its declarations need a separate package. */
  readonly isPrivate?: true;
  /** Additional files in the package of the declarations. */
  readonly files?: Readonly<Record<string, string>>;
  /** The test uploads to, or downloads from, the signed URL that is its result. */
  readonly signs?: "put" | "get";
}

const op = (name: string, declares: string, names: string, body: string, more: Partial<Operation> = {}): Operation => ({
  name,
  declares,
  names: names.split(" ").filter((each) => each !== ""),
  body,
  ...more,
});

const note = `export interface Note# { id: ID; text: string; state: Index<"a" | "b">; at: Index<Int>; words?: Search<string>; code?: Unique<string> }
export const notes# = Entity<Note#>("notes#");`;
const family = `export interface Parent# { id: ID }
export const parents# = Entity<Parent#>("parents#");
export interface Child# { id: ID; parent: Index<Ref<Parent#>> }
export const children# = Entity<Child#>("children#", { onDelete: { parent: "cascade" } });
export interface Grandchild# { id: ID; child: Index<Ref<Child#>> }
export const grandchildren# = Entity<Grandchild#>("grandchildren#", { onDelete: { child: "cascade" } });`;
const queue = `export const queue# = Queue<{ text: string }>("queue#");`;
const idle = `export const idle# = Worker(queue#, () => {});`;
const auth = `export const auth# = Auth({ password: true, tokens: true });`;

export const operations: readonly Operation[] = [
  op("nothing", "", "", `return arg;`),
  op("put", note, "notes#", `return (await notes#.put(ctx, { id: arg, text: arg, state: "a", at: 1 })).text;`),
  op("find", note, "notes#", `return (await notes#.find(ctx, arg)) ?? "none";`, { onlyReads: true }),
  op("create", note, "notes#", `return typeof (await notes#.create(ctx, { text: arg, state: "b", at: 2 })).id;`),
  op(
    "update",
    note,
    "notes#",
    `await notes#.put(ctx, { id: "u", text: arg, state: "a", at: 1 }); return notes#.update(ctx, "u", (each) => ({ ...each, at: each.at + 1 }));`,
  ),
  op("delete", note, "notes#", `await notes#.delete(ctx, arg); return "gone";`),
  op(
    "query",
    note,
    "notes#",
    `return (await notes#.query().where("state", "==", "a").orderBy("at", "desc").all(ctx)).length;`,
    { onlyReads: true },
  ),
  op("count", note, "notes#", `return notes#.query().where("at", ">", 0).count(ctx);`, { onlyReads: true }),
  op("countBy", note, "notes#", `return notes#.query().countBy(ctx, "state");`, { onlyReads: true }),
  op("sum", note, "notes#", `return notes#.query().sum(ctx, "at");`, { onlyReads: true }),
  op(
    "page",
    note,
    "notes#",
    `await notes#.put(ctx, { id: "p1", text: arg, state: "a", at: 1 }); await notes#.put(ctx, { id: "p2", text: arg, state: "a", at: 2 });
  const { items, next } = await notes#.query().orderBy("at").limit(1).page(ctx); return [items.length, (await notes#.query().orderBy("at").limit(1).page(ctx, next)).items.map(({ id }) => id)];`,
  ),
  op(
    "offset",
    note,
    "notes#",
    `await notes#.put(ctx, { id: "o1", text: arg, state: "a", at: 1 }); await notes#.put(ctx, { id: "o2", text: arg, state: "a", at: 2 });
  return (await notes#.query().orderBy("at").offset(1).limit(1).all(ctx)).map(({ id }) => id);`,
  ),
  op(
    "search",
    note,
    "notes#",
    `await notes#.put(ctx, { id: "s", text: arg, state: "a", at: 1, words: "rye " + arg }); return (await notes#.query().search("rye").all(ctx)).map(({ words }) => words ?? "");`,
  ),
  op(
    "unique",
    note,
    "notes#",
    `await notes#.put(ctx, { id: "one", text: arg, state: "a", at: 1, code: "c" });
  try { await notes#.put(ctx, { id: "two", text: arg, state: "a", at: 1, code: "c" }); return "two"; } catch (error) { return isTaken(error, "code"); }`,
  ),
  op(
    "getMany",
    note,
    "notes#",
    `return (await notes#.getMany(ctx, [arg, "none"])).map((each) => each?.id ?? "none");`,
    { onlyReads: true },
  ),
  op(
    "with",
    family,
    "parents# children#",
    `await parents#.put(ctx, { id: arg }); await children#.put(ctx, { id: arg, parent: arg }); return children#.get(ctx, arg, { with: ["parent"] });`,
  ),
  op(
    "cascade",
    family,
    "parents# children# grandchildren#",
    `await parents#.put(ctx, { id: arg }); await children#.put(ctx, { id: arg, parent: arg }); await grandchildren#.put(ctx, { id: arg, child: arg }); return "family";`,
  ),
  op("cascading", family, "parents#", `await parents#.delete(ctx, arg); return "deleted";`),
  op("orphans", family, "grandchildren#", `return grandchildren#.query().count(ctx);`, { onlyReads: true }),
  op(
    "dangling",
    family,
    "children#",
    `try { await children#.put(ctx, { id: "x", parent: "nobody" }); return "put"; } catch (error) { return (error as { status?: number }).status ?? 0; }`,
  ),
  op(
    "transaction",
    note,
    "notes#",
    `return transaction(ctx, async (tx) => { const before = await notes#.find(tx, "t"); await notes#.put(tx, { id: "t", text: arg, state: "a", at: (before?.at ?? 0) + 1 }); return before?.at ?? 0; });`,
  ),
  op("empty transaction", "", "", `return transaction(ctx, async () => arg);`),
  op(
    "failed transaction",
    note,
    "notes#",
    `try { await transaction(ctx, async (tx) => { await notes#.put(tx, { id: "f", text: arg, state: "a", at: 1 }); throw new Error("stop"); }); } catch {} return (await notes#.find(ctx, "f")) ?? "none";`,
  ),
  op(
    "take",
    `export const limit# = Limit("limit#", "2/h");`,
    "limit#",
    `try { await limit#.take(ctx, "k"); return "taken"; } catch (error) { return (error as { status?: number }).status ?? 0; }`,
  ),
  op(
    "publish to a feed",
    `export const feed# = Feed<string>("feed#");`,
    "feed#",
    `await feed#.publish(ctx, "k", arg); return "published";`,
  ),
  op(
    "publish to a feed in a transaction",
    `export const feed# = Feed<string>("feed#");`,
    "feed#",
    `await transaction(ctx, async (tx) => { await feed#.publish(tx, "k", arg); }); return "published";`,
  ),
  op(
    "events",
    `export const feed# = Feed<string>("feed#");`,
    "feed#",
    `await feed#.publish(ctx, "k", arg); for await (const { data } of feed#.events(ctx, "k", { after: "none" })) return data; return "none";`,
    { inRequest: true },
  ),
  op("presence", `export const feed# = Feed<string>("feed#");`, "feed#", `return feed#.presence(ctx, "k");`),
  op(
    "join",
    `export const feed# = Feed<string>("feed#");`,
    "feed#",
    `await feed#.publish(ctx, "j", arg); for await (const { data } of feed#.join(ctx, "j", "n", { after: "none" })) return [data, await feed#.presence(ctx, "j")]; return "none";`,
    { inRequest: true },
  ),
  op(
    "follow presence",
    `export const feed# = Feed<string>("feed#");`,
    "feed#",
    `for await (const names of feed#.followPresence(ctx, "p", "me")) return names; return "none";`,
    { inRequest: true },
  ),
  op(
    "put an object",
    `export const bucket# = Bucket("bucket#");`,
    "bucket#",
    `return (await bucket#.put(ctx, arg, blob(arg, { type: "text/plain" }))).size;`,
  ),
  op(
    "read objects",
    `export const bucket# = Bucket("bucket#");`,
    "bucket#",
    `const keys: string[] = []; for await (const { key } of bucket#.list(ctx)) keys.push(key); return [keys, await bucket#.exists(ctx, arg)];`,
  ),
  op(
    "get an object",
    `export const bucket# = Bucket("bucket#");`,
    "bucket#",
    `await bucket#.put(ctx, "g", blob(arg, { type: "text/plain" })); return new Response((await bucket#.get(ctx, "g")).stream()).text();`,
  ),
  op(
    "delete an object",
    `export const bucket# = Bucket("bucket#");`,
    "bucket#",
    `await bucket#.delete(ctx, arg); return "deleted";`,
  ),
  op(
    "sign an upload",
    `export const bucket# = Bucket("bucket#");`,
    "bucket#",
    `return bucket#.signedPut(ctx, "signed", "10m");`,
    { signs: "put" },
  ),
  op(
    "sign a download",
    `export const bucket# = Bucket("bucket#");`,
    "bucket#",
    `return bucket#.signedGet(ctx, "nothing", "10m");`,
    { signs: "get" },
  ),
  op("send", `${queue}\n${idle}`, "queue#", `return typeof (await queue#.send(ctx, { text: arg }));`),
  op(
    "send later",
    `${queue}\n${idle}`,
    "queue#",
    `return typeof (await queue#.send(ctx, { text: arg }, { delay: "1h" }));`,
  ),
  op(
    "send with a key",
    `${queue}\n${idle}`,
    "queue#",
    `await queue#.send(ctx, { text: arg }, { key: "k", delay: "1h" }); return "sent";`,
  ),
  op("cancel", `${queue}\n${idle}`, "queue#", `return queue#.cancel(ctx, "k");`),
  op(
    "send in a transaction",
    `${queue}\n${idle}`,
    "queue#",
    `await transaction(ctx, (tx) => queue#.send(tx, { text: arg })); return "sent";`,
  ),
  op(
    "send with a key in a transaction",
    `${queue}\n${idle}`,
    "queue#",
    `await transaction(ctx, async (tx) => { await queue#.send(tx, { text: arg }, { key: "k", delay: "1h" }); await queue#.cancel(tx, "other"); }); return "sent";`,
  ),
  op(
    "publish",
    `export const topic# = Topic<string>("topic#");`,
    "topic#",
    `return typeof (await topic#.publish(ctx, arg));`,
  ),
  op(
    "publish in a transaction",
    `export const topic# = Topic<string>("topic#");`,
    "topic#",
    `return transaction(ctx, async (tx) => typeof (await topic#.publish(tx, arg)));`,
  ),
  op(
    "start",
    `export const job# = Job<{ text: string }>("job#");\nexport const idle# = Runner(job#, () => {});`,
    "job#",
    `return typeof (await job#.start(ctx, { text: arg }));`,
  ),
  op(
    "start in a transaction",
    `export const job# = Job<{ text: string }>("job#");\nexport const idle# = Runner(job#, () => {});`,
    "job#",
    `return transaction(ctx, async (tx) => typeof (await job#.start(tx, { text: arg })));`,
  ),
  op(
    "runs",
    `export const job# = Job<{ text: string }>("job#", { history: "1d" });\nexport const idle# = Runner(job#, () => {});`,
    "job#",
    `const id = await job#.start(ctx, { text: arg }); return (await job#.get(ctx, id)).id === id;`,
  ),
  op(
    "cancel a run",
    `export const job# = Job<{ text: string }>("job#", { history: "1d" });\nexport const idle# = Runner(job#, () => {});`,
    "job#",
    `const id = await transaction(ctx, (tx) => job#.start(tx, { text: arg })); await job#.cancel(ctx, id); return "cancelled";`,
  ),
  op(
    "create an account",
    auth,
    "auth#",
    `return (await auth#.users.create(ctx, { email: "o#" + arg + "@example.com" })).email;`,
  ),
  op(
    "find an account",
    auth,
    "auth#",
    `try { return (await auth#.users.byEmail(ctx, "n#" + arg + "@example.com")).email; } catch (error) { return isNotFound(error); }`,
  ),
  op(
    "create a token",
    auth,
    "auth#",
    `const user = await auth#.users.create(ctx, { email: "t#" + arg + "@example.com" }); return (await auth#.tokens.create(ctx, user, { name: arg, expires: "1d" })).name;`,
  ),
  op(
    "grant",
    `${auth}\nexport const Clerk# = Role("clerk#");`,
    "auth# Clerk#",
    `const { id } = await auth#.users.create(ctx, { email: "r#" + arg + "@example.com" }); await auth#.users.grant(ctx, id, Clerk#); return [...(await auth#.users.get(ctx, id)).roles];`,
  ),
  op(
    "metrics",
    `export const counter# = Counter("counter#");\nexport const histogram# = Histogram("histogram#");`,
    "counter# histogram#",
    `counter#.add(ctx, 1); histogram#.observe(ctx, 2); return arg;`,
  ),
  op("secret", `export const secret# = Secret("SECRET");`, "secret#", `return secret#.value();`),
  op("clock", "", "", `return typeof ctx.now().getTime();`),
  op("user", "", "", `return ctx.maybeUser()?.id ?? "none";`),
  op(
    "call",
    `export const callee# = API("POST /callee#", (_ctx, { text }: { text: string }): { text: string } => ({ text }));`,
    "callee#",
    `return callee#.call(ctx, { text: arg });`,
  ),
  op(
    "call with Int64",
    `export const big# = API("POST /big#", (_ctx, { n }: { n: Int64 }): { n: Int64 } => ({ n: n + 1n }));`,
    "big#",
    `return String((await big#.call(ctx, { n: 9007199254740993n })).n);`,
  ),
  op(
    "call a private API",
    `export const hidden# = API("POST /hidden#", (_ctx, { text }: { text: string }): string => text, { private: true });`,
    "hidden#",
    `return hidden#.call(ctx, { text: arg });`,
    { isPrivate: true },
  ),
  op(
    "call a refusal",
    `export const refuser# = API("GET /refuser#", (): string => { throw Errorf(418, "short and stout"); });`,
    "refuser#",
    `try { return await refuser#.call(ctx, {}); } catch (error) { return [(error as { status: number }).status, (error as Error).message]; }`,
  ),
  op(
    "call a blob",
    `export const file# = API("GET /file#", () => blob("bytes", { type: "text/plain" }));`,
    "file#",
    `return new Response((await file#.call(ctx, {})).stream()).text();`,
  ),
  op(
    "call a store",
    `${note}\nexport const store# = API("POST /store#", async (ctx, { text }: { text: string }): Promise<number> => { await notes#.put(ctx, { id: text, text, state: "a", at: 1 }); return notes#.query().count(ctx); });`,
    "store#",
    `return store#.call(ctx, { text: arg });`,
  ),
  op(
    "Int64 in a message",
    `export const big# = Queue<{ n: Int64 }>("big#");\nexport const idle# = Worker(big#, () => {});`,
    "big#",
    `await big#.send(ctx, { n: 9007199254740993n }, { delay: "1h" }); return "sent";`,
  ),
  op(
    "Int64 in a document",
    `export const bigs# = Entity<{ id: ID; n: Int64 }>("bigs#");`,
    "bigs#",
    `await bigs#.put(ctx, { id: arg, n: 9007199254740993n }); return String((await bigs#.get(ctx, arg)).n);`,
  ),
  op(
    "render",
    `const site# = Site("./public");\nexport const shown# = (ctx: Context, text: string): HTML => site#.fragment(ctx, "a.html", { text });`,
    "shown#",
    `return String(shown#(ctx, arg));`,
    { files: { "public/templates/a.html": "<p>{{text}}</p>" } },
  ),
  op(
    "mail",
    `const site# = Site("./public");\nexport const mails# = Queue<MailMessage>("mails#");\nexport const mail# = Mail("mail#", (ctx, { text }: { text: string }) => site#.fragment(ctx, "m.html", { text }), { queue: mails#, sample: { text: "x" } });\nexport const idle# = Worker(mails#, () => {});`,
    "mail#",
    `await mail#.send(ctx, { text: arg }, { to: "a@example.com" }); return "mailed";`,
    { files: { "public/templates/m.html": "<!doctype html>\n<title>{{text}}</title><p>{{text}}</p>" } },
  ),
];
