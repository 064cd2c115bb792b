import { randomUUID } from "node:crypto";
import { Entity, type ID, type Index, type User } from "fw";
import { Editor, nameOf } from "./auth.ts";
import { tagsOf, tidy, wordsOf } from "./text.ts";

/** A note, named by its slug. */
export interface Note {
  slug: ID;
  title: string;
  body: string;
  /** The account of its author; "" of the notes that come with the example. */
  owner: Index<string>;
  author: string;
  public: Index<boolean>;
  /** Addresses of those who may read it although it is private. */
  readers: string[];
  tags: Index<string[]>;
  /** What the search finds it by: the words of title, body and attachments, each once, in lower case. */
  words: Index<string[]>;
  attachedWords: string[];
  /** Where its attachments are; another note never gets the same. */
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

/** What an author writes. */
export interface Draft {
  title: string;
  body: string;
  private?: boolean;
}

export function newNote(slug: string, author: Author, draft: Draft): Note {
  return {
    slug,
    owner: author.id,
    author: author.name,
    readers: [],
    attachedWords: [],
    folder: randomUUID(),
    updated: new Date(),
    ...contentOf(draft, []),
  };
}

/** What follows from the text of a note. */
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
