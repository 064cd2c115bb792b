import { randomUUID } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { Entity, transaction, type Context, type ID, type Index, type Int } from "fw";

/** A note, named by its slug. */
export interface Note {
  slug: ID;
  title: string;
  body: string;
  tags: Index<string[]>;
  /** What the search finds it by: the words of title and body, each once, in lower case. */
  words: Index<string[]>;
  updated: Index<Date>;
}
export const notes = Entity<Note>("notes");

/** The notes that come with the example: each is planted once, so that one that was deleted stays away. */
export const seeds = Entity<{ file: ID; planted: Date }>("note-seeds");

export interface Summary {
  slug: string;
  title: string;
  excerpt: string;
  tags: string[];
  updated: Date;
  words: Int;
}

export interface Listing {
  notes: Summary[];
  /** The cursor of the older notes. */
  next?: string;
}

/** A page of the notes that hold every word of `query` and carry `tag`, newest first. */
export async function list(
  ctx: Context,
  query = "",
  tag?: string,
  after?: string,
  limit: number = 10,
): Promise<Listing> {
  await open(ctx);
  let found = notes.query();
  if (tag) found = found.where("tags", "contains", tag);
  for (const word of wordsOf(query)) found = found.where("words", "contains", word);
  const { items, next } = await found.orderBy("updated", "desc").limit(limit).page(ctx, after);
  return { notes: items.map(summaryOf), ...(next === undefined ? {} : { next }) };
}

/** How many notes there are with that tag, or at all. */
export async function count(ctx: Context, tag?: string): Promise<number> {
  await open(ctx);
  return (tag ? notes.query().where("tags", "contains", tag) : notes.query()).count(ctx);
}

/** One note; a miss is NotFound. */
export async function read(ctx: Context, slug: string): Promise<Note> {
  await open(ctx);
  return notes.get(ctx, slug);
}

/** Writes a new note under a slug made from its title. */
export function create(ctx: Context, title: string, body: string): Promise<Note> {
  const base = slugOf(title);
  return transaction(ctx, async (tx) => {
    const taken = await notes.find(tx, base);
    return notes.create(tx, noteOf(taken ? `${base}-${randomUUID().slice(0, 6)}` : base, title, body));
  });
}

/** Replaces a note; a miss is NotFound. */
export function update(ctx: Context, slug: string, title: string, body: string): Promise<Note> {
  return notes.update(ctx, slug, () => noteOf(slug, title, body));
}

/** Removes a note; a miss is NotFound. */
export function remove(ctx: Context, slug: string): Promise<void> {
  return transaction(ctx, async (tx) => {
    await notes.get(tx, slug);
    await notes.delete(tx, slug);
  });
}

let opened: Promise<void> | undefined;

function open(ctx: Context): Promise<void> {
  opened ??= plant(ctx).catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function plant(ctx: Context): Promise<void> {
  const seed = join(import.meta.dirname, "seed");
  for (const file of await readdir(seed)) {
    const [first = "", ...rest] = (await readFile(join(seed, file), "utf8")).split("\n");
    await transaction(ctx, async (tx) => {
      if (await seeds.find(tx, file)) return;
      await seeds.create(tx, { file, planted: new Date() });
      await notes.put(tx, noteOf(file.replace(/\.md$/, ""), first.replace(/^#\s*/, ""), rest.join("\n")));
    });
  }
}

function noteOf(slug: string, title: string, text: string): Note {
  const body = text.replaceAll("\r\n", "\n").trim();
  const tags = [...new Set([...body.matchAll(/(?<=^|\s)#([a-z][a-z0-9-]*)/g)].map((match) => match[1] ?? ""))];
  return { slug, title: title.trim(), body, tags, words: wordsOf(`${title}\n${body}`), updated: new Date() };
}

/** As many different words as an index takes of one note. */
const mostWords = 1000;

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{1,100}/gu) ?? [];
  return [...new Set(words)].slice(0, mostWords);
}

function summaryOf(note: Note): Summary {
  const plain = note.body.replaceAll(/[#*_`>[\]]/g, "").replaceAll(/\s+/g, " ");
  const words = plain.split(" ").filter(Boolean).length;
  const excerpt = plain.length > 140 ? `${plain.slice(0, 140).trimEnd()}…` : plain;
  return { slug: note.slug, title: note.title, excerpt, tags: note.tags, updated: note.updated, words };
}

function slugOf(title: string): string {
  const plain = title.normalize("NFKD").toLowerCase();
  const slug = plain.replaceAll(/[^a-z0-9]+/g, "-").slice(0, 60);
  return slug.replace(/^-/, "").replace(/-$/, "") || `note-${randomUUID().slice(0, 6)}`;
}
