import { randomUUID } from "node:crypto";
import { type Context, Entity, type ID, type Index, type User } from "fw";
import { Editor, nameOf } from "./auth.ts";
import { tagsOf, tidy, wordsOf } from "./text.ts";

/** A note, identified by its slug. */
export interface Note {
  slug: ID;
  title: string;
  body: string;
  /** The id of the author's account; "" for the example notes. */
  owner: Index<string>;
  author: string;
  public: Index<boolean>;
  /** Email addresses of users who may read the note even if it is private. */
  readers: string[];
  tags: Index<string[]>;
  /** The search index: the distinct words in the title, body and attachments, in lower case. */
  words: Index<string[]>;
  attachedWords: string[];
  /** The key prefix of its attachments, unique to this note. */
  folder: Index<string>;
  updated: Index<Date>;
}
export const notes = Entity<Note>("notes");

export interface Author {
  id: string;
  name: string;
}

export function authorOf(user: User): Author {
  return { id: user.id, name: nameOf(user) };
}

/** The fields that an author can edit. */
export interface Draft {
  title: string;
  body: string;
  private?: boolean;
}

export function newNote(ctx: Context, slug: string, author: Author, draft: Draft): Note {
  return {
    slug,
    owner: author.id,
    author: author.name,
    readers: [],
    attachedWords: [],
    folder: randomUUID(),
    updated: ctx.now(),
    ...contentOf(draft, []),
  };
}

/** Derives the computed fields from a note's text. */
export function contentOf(
  draft: Draft,
  attachedWords: string[],
): Pick<Note, "title" | "body" | "public" | "tags" | "words"> {
  const [title, body] = [draft.title.trim(), tidy(draft.body)];
  const words = wordsOf(`${title}\n${body}\n${attachedWords.join(" ")}`);
  return { title, body, public: draft.private !== true, tags: tagsOf(body), words };
}

export function isOwner(note: Note, user: User | undefined): boolean {
  return user !== undefined && note.owner === user.id;
}

export function mayRead(note: Note, user: User | undefined): boolean {
  if (note.public || isOwner(note, user)) return true;
  return user !== undefined && user.emailVerified && note.readers.includes(user.email.toLowerCase());
}

export function mayChange(note: Note, user: User | undefined): boolean {
  return isOwner(note, user) || (note.public && user !== undefined && user.hasRole(Editor));
}
