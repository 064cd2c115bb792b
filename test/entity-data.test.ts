import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { mostTopologies, startFiles, type Running } from "./support/topologies.ts";

// Members with unique addresses. One service stores them, and another creates some of them.
const club = Object.fromEntries(
  filesOf(`
-- club/club.ts --
import { API, Entity, isTaken, transaction, type ID, type Path, type Unique } from "fw";
export interface Member { id: ID; email: Unique<string>; badge: Unique<string> | null }
export const members = Entity<Member>("members");
export interface Join { email: string; badge?: string }
export const join = API("POST /members", (ctx, { email, badge = null }: { email: string; badge?: string | null }) =>
  members.create(ctx, { email, badge }));
export const move = API("PUT /members/{id}", (ctx, { id, email }: { id: Path; email: string }) =>
  members.update(ctx, id, (member) => ({ ...member, email })));
export const swap = API("POST /swaps", (ctx, { one, other }: { one: string; other: string }) =>
  transaction(ctx, async (tx) => {
    const [a, b] = [await members.get(tx, one), await members.get(tx, other)];
    await members.put(tx, { ...a, email: b.email });
    await members.put(tx, { ...b, email: a.email });
  }));
export const both = API("POST /pairs", async (ctx, { email }: { email: string }) => {
  try {
    await transaction(ctx, async (tx) => {
      await members.create(tx, { email, badge: null });
      await members.create(tx, { email, badge: null });
    });
    return "both";
  } catch (error) {
    return isTaken(error, "email") && !isTaken(error, "badge") ? "taken" : String(error);
  }
});
export const leave = API("DELETE /members/{id}", (ctx, { id }: { id: Path }) => members.delete(ctx, id));
-- cards/cards.ts --
import { API, Entity, type ID, type Index, type Path, type Ref } from "fw";
import type { Member } from "../club/club.ts";
export interface Card { id: ID; member: Index<Ref<Member>> }
export const cards = Entity<Card>("cards", { onDelete: { member: "refuse" } });
export interface Stamp { id: ID; card: Index<Ref<Card>> }
export const stamps = Entity<Stamp>("stamps", { onDelete: { card: "cascade" } });
export const issue = API("PUT /cards/{id}", (ctx, { id, member }: { id: Path; member: string }) => cards.put(ctx, { id, member }));
export const revoke = API("DELETE /cards/{id}", (ctx, { id }: { id: Path }) => cards.delete(ctx, id));
export const stamp = API("PUT /stamps/{id}", (ctx, { id, card }: { id: Path; card: string }) => stamps.put(ctx, { id, card }));
export const stamped = API("GET /stamps", (ctx) => stamps.query().count(ctx));
-- shelf/shelf.ts --
import { API, Entity, transaction, type ID, type Index, type Int, type Int64, type Query } from "fw";
export interface Item { id: ID; shelf: Index<string>; added: Index<Int>; price: Index<number>; weight: Index<Int64> | null; state?: Index<"new" | "used"> }
export const items = Entity<Item>("items");
export const fill = API("POST /items", (ctx, { item }: { item: Item }) => items.put(ctx, item));
export const list = API("GET /items", (ctx, { sort, shelf, after }: { sort: Query<"newest" | "cheapest">; shelf?: Query; after?: Query }) => {
  let q = items.query();
  if (shelf !== undefined) q = q.where("shelf", "==", shelf);
  return q.sortBy(sort, { newest: { added: "desc" }, cheapest: { price: "asc", added: "desc" } }).limit(2).page(ctx, after);
});
export const many = API("GET /many", async (ctx, { id }: { id: Query<string[]> }) => {
  const found = await items.getMany(ctx, id);
  const again = await transaction(ctx, (tx) => items.getMany(tx, id));
  return [found, again].map((each) => each.map((item) => item?.added ?? null));
});
export const states = API("GET /states", async (ctx, { shelf, offset }: { shelf: Query; offset: Query<Int> }) => {
  const found = items.query().where("shelf", "==", shelf);
  const { items: [first], next } = await found.offset(offset).limit(1).page(ctx);
  const after = next === undefined ? [] : (await found.offset(offset).limit(1).page(ctx, next)).items;
  return { counts: await found.countBy(ctx, "state"), ids: [first, ...after].map((item) => item?.id ?? null) };
});
export const worth = API("GET /worth", async (ctx, { shelf }: { shelf: Query }) => {
  const found = items.query().where("shelf", "==", shelf);
  const [weight, inside] = [
    await found.sum(ctx, "weight"),
    await transaction(ctx, (tx) => found.sum(tx, "price")),
  ];
  return { price: await found.sum(ctx, "price"), average: (await found.average(ctx, "price")) ?? null, weight: String(weight), inside };
});
-- alarms/alarms.ts --
import { API, Entity, Queue, Worker, type ID } from "fw";
export const rings = Entity<{ id: ID; of: string }>("rings");
export const alarms = Queue<{ of: string }>("alarms");
export const set = API("POST /alarms", async (ctx, { of, key, delay }: { of: string; key?: string; delay: "1s" | "4s" | "16s" | "64s" | "1h" }): Promise<void> => {
  await alarms.send(ctx, { of }, key === undefined ? { delay } : { key, delay });
});
export const stop = API("POST /stops", (ctx, { key }: { key: string }) => alarms.cancel(ctx, key));
export const ringing = API("GET /rings", async (ctx) => (await rings.query().all(ctx)).map(({ of }) => of).sort());
export const ring = Worker(alarms, async (ctx, { of }, { id }) => { await rings.put(ctx, { id, of }); });
-- imports/imports.ts --
import { API, Job, Runner, type Int, type Path } from "fw";
export const imports = Job<{ rows: Int }>("import", { history: "1d" });
export interface Imported { id: Path }
export const begin = API("POST /imports", async (ctx, { rows }: { rows: Int }) => ({ id: await imports.start(ctx, { rows }) }));
export const read = API("GET /imports/{id}", (ctx, { id }: Imported) => imports.get(ctx, id));
export const all = API("GET /imports", (ctx) => imports.list(ctx));
export const stop = API("DELETE /imports/{id}", (ctx, { id }: Imported) => imports.cancel(ctx, id));
export const importRows = Runner(imports, async (ctx, { rows }, run) => {
  run.progress(0.5, \`half of \${rows}\`);
  if (rows === 13) throw new Error("unlucky");
  if (rows === 0) await new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason)));
}, { attempts: 0 });
-- door/door.ts --
import { API, isTaken } from "fw";
import { join } from "../club/club.ts";
export const enter = API("POST /door", async (ctx, { email }: { email: string }) => {
  try {
    return (await join.call(ctx, { email })).id;
  } catch (error) {
    return isTaken(error) ? "taken: " + error.details.taken : String(error);
  }
});
`),
);

describe.each(mostTopologies)("%s", (name, start) => {
  let app: Running;
  let url: string;
  beforeAll(async () => {
    app = await startFiles([name, start], club);
    url = `http://localhost:${app.port}`;
  });
  afterAll(() => app[Symbol.asyncDispose]());

  const send = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> => {
    const headers = { "Content-Type": "application/json" };
    const answer = await fetch(url + path, {
      method,
      ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === "" ? undefined : JSON.parse(text) };
  };
  const join = async (email: string, badge?: string): Promise<string> => {
    const { body } = await send("POST", "/members", { email, badge });
    return (body as { id: string }).id;
  };

  test("of many concurrent writers of one address one gets it, and the others learn that it is taken", async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => send("POST", "/members", { email: "one@x" })));
    const refusal = {
      status: 409,
      body: { error: "this email is already taken", details: { taken: "email" } },
    };
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200)).toEqual(Array.from({ length: 7 }, () => refusal));
    expect((await send("POST", "/door", { email: "one@x" })).body).toBe("taken: email");
  });

  test("an address is free again, or swapped, and a transaction takes each once", async () => {
    const [a, b] = [await join("a@x", "1"), await join("b@x", "2")];
    expect((await send("PUT", `/members/${a}`, { email: "b@x" })).status).toBe(409);
    expect((await send("POST", "/swaps", { one: a, other: b })).status).toBe(204);
    expect((await send("PUT", `/members/${a}`, { email: "b@x" })).body).toEqual({ id: a, email: "b@x", badge: "1" });
    expect((await send("PUT", `/members/${a}`, { email: "c@x" })).status).toBe(200);
    expect((await send("POST", "/door", { email: "b@x" })).body).not.toMatch(/taken/);
    expect((await send("POST", "/pairs", { email: "twice@x" })).body).toBe("taken");
    expect((await send("DELETE", `/members/${b}`)).status).toBe(204);
    expect((await send("POST", "/members", { email: "a@x", badge: "1" })).body).toMatchObject({
      error: "this badge is already taken",
    });
    expect((await send("POST", "/members", { email: "a@x", badge: "2" })).status).toBe(200);
  });

  test("a visitor sorts in a declared way, whose pages are its own, and sums are of all that is found", async () => {
    const items = [
      { id: "a", shelf: "one", added: 1, price: 5, weight: 41, state: "new" },
      { id: "b", shelf: "one", added: 2, price: 2.5, weight: 1 },
      { id: "c", shelf: "two", added: 3, price: 5, weight: null },
      { id: "d", shelf: "one", added: 4, price: 1, weight: null, state: "used" },
    ];
    for (const item of items) await send("POST", "/items", { item });
    const page = async (query: string): Promise<[ids: string, next: string | undefined]> => {
      const { body } = await send("GET", `/items?${query}`);
      const { items: found, next } = body as { items: { id: string }[]; next?: string };
      return [found.map(({ id }) => id).join(""), next && encodeURIComponent(next)];
    };
    const [newest, next] = await page("sort=newest");
    expect([newest, await page(`sort=newest&after=${next}`)]).toEqual(["dc", ["ba", undefined]]);
    expect([await page("sort=cheapest&shelf=one"), await page("sort=newest&shelf=two")]).toMatchObject([
      ["db", expect.any(String)],
      ["c", undefined],
    ]);
    expect((await send("GET", `/items?sort=cheapest&after=${next}`)).status).toBe(400);
    expect((await send("GET", "/items?sort=dearest")).status).toBe(400);
    expect((await send("GET", "/many?id=c&id=none&id=a&id=c")).body).toEqual([
      [3, null, 1, 3],
      [3, null, 1, 3],
    ]);
    expect((await send("GET", "/worth?shelf=one")).body).toMatchObject({
      price: 8.5,
      average: 8.5 / 3,
      weight: "42",
      inside: 8.5,
    });
    expect((await send("GET", "/states?shelf=one&offset=1")).body).toEqual({
      counts: [
        { value: "new", count: 1 },
        { value: "used", count: 1 },
      ],
      ids: ["b", "d"],
    });
    expect((await send("GET", "/states?shelf=one&offset=1001")).status).toBe(400);
    expect((await send("GET", "/worth?shelf=none")).body).toEqual({ price: 0, average: null, weight: "0", inside: 0 });
  });

  test("a delete follows the rules of another service's references, and a reference needs a document", async () => {
    const member = await join("card@x");
    expect(await send("PUT", "/cards/a", { member: "none" })).toEqual({
      status: 409,
      body: { error: "there is no document with this member" },
    });
    expect((await send("PUT", "/cards/a", { member })).status).toBe(200);
    for (const id of ["1", "2"]) expect((await send("PUT", `/stamps/${id}`, { card: "a" })).status).toBe(200);
    expect(await send("DELETE", `/members/${member}`)).toEqual({
      status: 409,
      body: { error: "other documents refer to it: cards" },
    });
    expect((await send("DELETE", "/cards/a")).status).toBe(204);
    expect((await send("GET", "/stamps")).body).toBe(0);
    expect((await send("DELETE", `/members/${member}`)).status).toBe(204);
  });

  test("the runs of a job tell their progress and their end, and can be cancelled", async () => {
    const start = async (rows: number): Promise<string> =>
      ((await send("POST", "/imports", { rows })).body as { id: string }).id;
    const [done, failed, endless] = [await start(10), await start(13), await start(0)];
    const run = async (id: string): Promise<unknown> => (await send("GET", `/imports/${id}`)).body;
    const within = { timeout: 60_000 };
    await expect.poll(() => run(done), within).toMatchObject({ state: "done", progress: 1, note: "half of 10" });
    await expect.poll(() => run(failed), within).toMatchObject({ state: "failed", progress: 0.5, error: "unlucky" });
    await expect.poll(() => run(endless), within).toMatchObject({ state: "running", progress: 0.5, tasks: 1 });
    expect((await send("DELETE", `/imports/${endless}`)).body).toBe(true);
    await expect.poll(() => run(endless), within).toMatchObject({ state: "cancelled", attempts: 1 });
    expect((await send("DELETE", `/imports/${endless}`)).body).toBe(false);
    const all = (await send("GET", "/imports")).body as readonly { readonly id: string }[];
    expect(all.map(({ id }) => id)).toEqual([endless, failed, done]);
    expect((await send("GET", "/imports/none")).status).toBe(404);
  });

  test("a message with a key replaces the one that waits under it, and a cancelled one never comes", async () => {
    const set = (of: string, delay: string, key?: string): Promise<unknown> =>
      send("POST", "/alarms", { of, delay, ...(key !== undefined && { key }) });
    const cancel = async (key: string): Promise<unknown> => (await send("POST", "/stops", { key })).body;
    for (const version of ["first", "second"]) await set(version, "1h", "replaced");
    await set("third", "1s", "replaced");
    // If a busy machine delivers the message before it is cancelled, the next attempt uses a longer delay.
    const delays = ["1s", "4s", "16s", "64s"];
    let attempt = 0;
    do await set("cancelled", delays[attempt] ?? "", `cancelled ${attempt}`);
    while (!(await cancel(`cancelled ${attempt}`)) && ++attempt < delays.length);
    expect(await cancel(`cancelled ${attempt}`)).toBe(false);
    await set("without a key", delays[attempt] ?? "");
    const rings = async (): Promise<unknown> => (await send("GET", "/rings")).body;
    const early = Array.from({ length: attempt }, () => "cancelled");
    await expect.poll(rings, { interval: 100 }).toEqual([...early, "third", "without a key"]);
    expect(await cancel("replaced")).toBe(false);
  });
});
