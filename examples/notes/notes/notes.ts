import { Errorf, NotFound, transaction, type Context, type Int } from "fw";
import { contentOf, isOwner, mayChange, mayRead, newNote, notes, type Author, type Draft, type Note } from "./note.ts";
import { plantSeeds } from "./seeds.ts";
import { excerptOf, shortId, slugOf, wordsOf } from "./text.ts";

/** The maximum number of words in a search; further words are ignored. */
const mostSearched = 10;

/** Filters notes: they contain every word of `q` and have `tag`. */
export interface Filter {
  q?: string;
  tag?: string;
  /** True for the user's own notes instead of the public ones. */
  mine?: boolean;
}

export interface Summary {
  slug: string;
  title: string;
  author: string;
  private: boolean;
  excerpt: string;
  /** The length in words. */
  length: Int;
  tags: string[];
  updated: Date;
}

export interface Listing {
  notes: Summary[];
  /** The cursor of the next page, which has older notes. */
  next?: string;
}

/** Returns a page of notes, newest first. */
export async function list(ctx: Context, filter: Filter, after?: string, limit: number = 10): Promise<Listing> {
  await plantSeeds(ctx);
  let found = notes.query();
  const owner = ownerIn(ctx, filter);
  if (owner === undefined) found = found.where("public", "==", true);
  else found = found.where("owner", "==", owner);
  if (filter.tag) found = found.where("tags", "contains", filter.tag);
  for (const word of wordsOf(filter.q ?? "").slice(0, mostSearched)) found = found.where("words", "contains", word);
  const { items, next } = await found.orderBy("updated", "desc").limit(limit).page(ctx, after);
  return { notes: items.map(summaryOf), ...(next === undefined ? {} : { next }) };
}

/** Counts the public notes or, with `mine`, the user's own. `tag` narrows the count; `q` is ignored. */
export async function count(ctx: Context, filter: Filter): Promise<number> {
  await plantSeeds(ctx);
  let found = notes.query();
  const owner = ownerIn(ctx, filter);
  if (owner === undefined) found = found.where("public", "==", true);
  else found = found.where("owner", "==", owner);
  if (filter.tag) found = found.where("tags", "contains", filter.tag);
  return found.count(ctx);
}

/** Reads a note that the user may read. Otherwise throws NotFound, as if the note did not exist. */
export async function read(ctx: Context, slug: string): Promise<Note> {
  await plantSeeds(ctx);
  const note = await notes.get(ctx, slug);
  if (!mayRead(note, ctx.maybeUser())) throw NotFound();
  return note;
}

/** Reads a note that the user may change. */
export async function readToChange(ctx: Context, slug: string): Promise<Note> {
  const note = await read(ctx, slug);
  if (!mayChange(note, ctx.user())) throw Errorf(403, "only its author and editors may change this note");
  return note;
}

/** Creates a note with a slug made from its title. */
export function create(ctx: Context, author: Author, draft: Draft): Promise<Note> {
  const base = slugOf(draft.title);
  return transaction(ctx, async (tx) => {
    const taken = await notes.find(tx, base);
    return notes.create(tx, newNote(tx, taken ? `${base}-${shortId()}` : base, author, draft));
  });
}

/** Replaces a note's text. Only the author can change `private`, which stays unchanged if omitted. */
export function update(ctx: Context, slug: string, draft: Draft): Promise<Note> {
  return transaction(ctx, async (tx) => {
    const note = await readToChange(tx, slug);
    const wished = isOwner(note, ctx.user()) ? draft.private : undefined;
    const content = contentOf({ ...draft, private: wished ?? !note.public }, note.attachedWords);
    return notes.put(tx, { ...note, ...content, updated: tx.now() });
  });
}

/** Deletes a note and returns its last version. */
export function remove(ctx: Context, slug: string): Promise<Note> {
  return transaction(ctx, async (tx) => {
    const note = await readToChange(tx, slug);
    await notes.delete(tx, slug);
    return note;
  });
}

function ownerIn(ctx: Context, { mine }: Filter): string | undefined {
  return mine ? ctx.maybeUser()?.id : undefined;
}

function summaryOf(note: Note): Summary {
  const { slug, title, author, tags, updated } = note;
  return { slug, title, author, private: !note.public, tags, updated, ...excerptOf(note.body) };
}
