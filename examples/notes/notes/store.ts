import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { randomUUID } from "node:crypto";
import { NotFound, type Int } from "fw";

/** A note as it is kept: one markdown file, named by its slug, whose first line is the title. */
export interface Note {
  slug: string;
  title: string;
  body: string;
  tags: string[];
  updated: Date;
}

export interface Summary {
  slug: string;
  title: string;
  excerpt: string;
  tags: string[];
  updated: Date;
  words: Int;
}

const seed = join(import.meta.dirname, "seed");
const directory = process.env["NOTES_DIR"] ?? join(import.meta.dirname, "..", ".fw", "notes");

let opened: Promise<void> | undefined;

/** Creates the directory with its first notes once; later starts find it. */
function open(): Promise<void> {
  opened ??= plant();
  return opened;
}

async function plant(): Promise<void> {
  const made = await mkdir(directory, { recursive: true });
  if (made === undefined) return;
  for (const name of await readdir(seed)) {
    await writeFile(join(directory, name), await readFile(join(seed, name)));
  }
}

/** Notes that match every word of `query` and carry `tag`, newest first. */
export async function list(query = "", tag?: string): Promise<Summary[]> {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const notes = await all();
  return notes
    .filter((note) => tag === undefined || note.tags.includes(tag))
    .filter((note) => words.every((word) => `${note.title}\n${note.body}`.toLowerCase().includes(word)))
    .toSorted((a, b) => b.updated.getTime() - a.updated.getTime() || a.slug.localeCompare(b.slug))
    .map(summaryOf);
}

async function all(): Promise<Note[]> {
  await open();
  const files = (await readdir(directory)).filter((name) => name.endsWith(".md"));
  return Promise.all(files.map((name) => read(name.slice(0, -".md".length))));
}

/** One note; a miss is NotFound. */
export async function read(slug: string): Promise<Note> {
  await open();
  const file = fileOf(slug);
  try {
    const [text, { mtime }] = await Promise.all([readFile(file, "utf8"), stat(file)]);
    return parse(slug, text, mtime);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") throw NotFound();
    throw error;
  }
}

/** Writes a new note under a slug made from its title. */
export async function create(title: string, body: string): Promise<Note> {
  await open();
  const base = slugOf(title);
  const taken = new Set(await readdir(directory));
  const slug = taken.has(`${base}.md`) ? `${base}-${randomUUID().slice(0, 6)}` : base;
  return write(slug, title, body);
}

/** Replaces a note; a miss is NotFound. */
export async function update(slug: string, title: string, body: string): Promise<Note> {
  await read(slug);
  return write(slug, title, body);
}

export async function remove(slug: string): Promise<void> {
  await read(slug);
  await rm(fileOf(slug));
}

/** Written aside and renamed, so that a crash never leaves half a note. */
async function write(slug: string, title: string, body: string): Promise<Note> {
  const aside = join(directory, `.${slug}-${randomUUID()}`);
  await writeFile(aside, `# ${title.trim()}\n\n${body.replaceAll("\r\n", "\n").trim()}\n`);
  await rename(aside, fileOf(slug));
  return read(slug);
}

function fileOf(slug: string): string {
  if (!/^[a-z0-9][a-z0-9-]*$/.test(slug)) throw NotFound();
  return join(directory, `${slug}.md`);
}

function parse(slug: string, text: string, updated: Date): Note {
  const [first = "", ...rest] = text.split("\n");
  const body = rest.join("\n").trim();
  const tags = [...new Set([...body.matchAll(/(?<=^|\s)#([a-z][a-z0-9-]*)/g)].map((match) => match[1] ?? ""))];
  return { slug, title: first.replace(/^#\s*/, ""), body, tags, updated };
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
