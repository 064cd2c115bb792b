import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Entity, transaction, type Context, type ID } from "fw";
import { newNote, notes } from "./note.ts";

/** Records that the example notes have been created, so that deleted ones do not come back. */
export const seeds = Entity<{ id: ID; planted: Date }>("seeds");

const nobody = { id: "", name: "The gardener" };

/** Creates the example notes, unless they have been created before. */
export async function plantSeeds(ctx: Context): Promise<void> {
  if (await seeds.find(ctx, "all")) return;
  const texts = await readSeeds();
  await transaction(ctx, async (tx) => {
    if (await seeds.find(tx, "all")) return;
    await seeds.create(tx, { id: "all", planted: tx.now() });
    for (const { slug, title, body } of texts) await notes.put(tx, newNote(tx, slug, nobody, { title, body }));
  });
}

async function readSeeds(): Promise<{ slug: string; title: string; body: string }[]> {
  const directory = join(import.meta.dirname, "seed");
  const files = await readdir(directory);
  return Promise.all(
    files.map(async (file) => {
      const [first = "", ...rest] = (await readFile(join(directory, file), "utf8")).split("\n");
      return { slug: file.replace(/\.md$/, ""), title: first.replace(/^#\s*/, ""), body: rest.join("\n") };
    }),
  );
}
