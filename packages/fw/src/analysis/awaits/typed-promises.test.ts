import { expect, test } from "vitest";
import { openAnalyzer } from "../index.ts";
import { writeTypedApp } from "../testing/typed-app.ts";

const declarations = `
import { Readable } from "node:stream";
import { API, Entity, type ID } from "fw";
export interface Note { id: ID; text: string }
export const notes = Entity<Note>("notes");
declare const cursor: { forEach(run: (note: Note) => Promise<unknown>): Promise<void> };
declare const untyped: any;
declare const list: readonly Note[] | undefined;
`;

/** Analyzes one handler per body, and returns the bodies with a lost promise. */
async function lostIn(bodies: readonly string[]): Promise<readonly string[]> {
  const handlers = bodies.map(
    (body, n) =>
      `export const h${n} = API("POST /h${n}", async (ctx, { all }: { all: Note[] }): Promise<void> => ${body});`,
  );
  await using app = await writeTypedApp(`-- shop/shop.ts --${declarations}${handlers.join("\n")}\n`);
  const analyzer = openAnalyzer(app.root);
  try {
    const { diagnostics } = await analyzer.analyze();
    const problems = [...diagnostics, ...(await analyzer.typeDiagnostics())];
    expect(problems.filter(({ code }) => code !== "fw/not-awaited")).toEqual([]);
    const message =
      "forEach does not wait for `notes.put(ctx, note)`: the handler may end first, and a failure stops the service";
    for (const problem of problems)
      expect(problem).toMatchObject({ message, hint: expect.stringContaining("for loop") });
    const first = declarations.split("\n").length - 1;
    return problems.map(({ at }) => bodies[at.line - first] ?? "");
  } finally {
    analyzer.close();
  }
}

const each = "async (note) => { await notes.put(ctx, note); }";

test("a forEach of a list waits for nothing, also where its result is returned, awaited or named", async () => {
  const lost = [
    `{ return all.forEach(${each}); }`,
    `all.forEach(${each})`,
    `{ return all.forEach((note) => notes.put(ctx, note)); }`,
    `{ await all.forEach(${each}); }`,
    `{ const done = all.forEach(${each}); return done; }`,
    `{ return list?.forEach(${each}); }`,
    `{ return (await notes.query().all(ctx)).filter(({ text }) => text !== "").forEach(${each}); }`,
    `{ return new Set(all).forEach(${each}); }`,
    `{ return [all].forEach((inner) => inner.forEach(${each})); }`,
    `{ await Promise.all([all.forEach(${each})]); }`,
    `{ if (all.length > 0) return all.forEach(${each}); await ctx.user; }`,
  ];
  expect(await lostIn(lost)).toEqual(lost);
});

test("a forEach that returns a promise, or whose result is dropped on purpose, is not reported", async () => {
  const handled = [
    `{ return cursor.forEach(${each}); }`,
    `{ await cursor.forEach(${each}); }`,
    `{ return Readable.from(all).forEach(async (note) => { await notes.put(ctx, note); }); }`,
    `{ return untyped.forEach(async (note: Note) => { await notes.put(ctx, note); }); }`,
    `{ return void all.forEach(${each}); }`,
    `{ return all.forEach((note) => void notes.put(ctx, note)); }`,
    `{ return all.forEach((note) => { notes.put(ctx, note).catch(() => undefined); }); }`,
    `{ await Promise.all(all.map(${each})); }`,
    `{ for (const note of all) await notes.put(ctx, note); }`,
  ];
  expect(await lostIn(handled)).toEqual([]);
});
