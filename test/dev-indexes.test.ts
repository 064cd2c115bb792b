import { expect, test } from "vitest";
import { ask, startDev } from "./support/dev-app.ts";
import { devOptions } from "./support/topologies.ts";

/** An application that counts its things with an index if there is one, and otherwise by reading all things. */
const things = (word: string, fields: string, countFields: string): Record<string, string> => ({
  "shop/shop.ts": `
import { API, Entity, type ID, type Index, type Int, type Query } from "fw";
export interface Thing { id: ID; ${fields} }
export const things = Entity<Thing>("things");
export const seed = API("POST /seed", async (ctx) => {
  await Promise.all(Array.from({ length: 1200 }, (_, i) => things.create(ctx, { x: i % 3, y: i % 5 })));
});
export interface Make { x: Query<Int>; id?: Query }
export const make = API("POST /things", async (ctx, { x, id }: Make) => {
  if (id === undefined) await things.create(ctx, { x, y: x });
  else await things.put(ctx, { id, x, y: x });
});
export const counts = API("GET /counts", async (ctx) => {
  let all = 0;
  for await (const { x } of things.query().each(ctx)) if (x === 1) all++;
  return { word: "${word}", all, counted: ${countFields} };
});
`,
});

const bare = things("bare", "x: Int; y: Int", "0");
const indexed = things(
  "indexed",
  "x: Index<Int>; y: Index<Int>",
  `await things.query().where("x", "==", 1).count(ctx)`,
);
const composite = things(
  "composite",
  "x: Index<Int>; y: Index<Int>",
  `(await things.query().where("x", "==", 1).orderBy("y").all(ctx)).length`,
);

test.each(devOptions)(
  "an index that is saved while requests write holds every document, also after another one (%s)",
  async (_how, ...args) => {
    await using dev = await startDev(bare, ...args);
    await dev.eventually("/counts", ({ status }) => status === 200);
    const post = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${dev.port}${path}`, { method: "POST" });
    expect((await post("/seed")).status).toBe(204);
    const over = new AbortController();
    const statuses = new Set<number>();
    const client = async (n: number): Promise<void> => {
      for (let i = 0; !over.signal.aborted; i++)
        statuses.add((await post(`/things?x=${i % 3}${i % 2 ? `&id=c${n}` : ""}`)).status);
    };
    const clients = [1, 2].map(client);
    for (const [word, files] of Object.entries({ indexed, composite })) {
      dev.write(files);
      await dev.eventually("/counts", ({ body }) => body.includes(`"${word}"`));
    }
    over.abort();
    await Promise.all(clients);
    const { body } = await ask(dev.port, "/counts");
    const { all, counted: countFields } = JSON.parse(body) as { all: number; counted: number };
    expect([countFields, [...statuses]]).toEqual([all, [204]]);
    expect(all).toBeGreaterThan(400);
  },
  120_000,
);
