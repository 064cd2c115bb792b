import { Bucket, Errorf, type Blob, type Context, type ObjectInfo, type PutPolicy, type SignedURL } from "fw";
import type { Note } from "./note.ts";

/** Stores uploads at `<folder>/files/<name>` and their extracted text at `<folder>/text/<name>`. */
export const attachments = Bucket("attachments");

export interface Attachment {
  name: string;
  size: string;
}

/** The allowed types of attachments, each with its maximum size in bytes. */
const kinds: Readonly<Record<string, number>> = {
  "text/": 4_000_000,
  "image/": 32_000_000,
  "application/pdf": 64_000_000,
  "application/zip": 512_000_000,
  "audio/": 512_000_000,
  "video/": 512_000_000,
};

/** Lists the attachments of a note by name. */
export async function filesOf(ctx: Context, note: Note): Promise<Attachment[]> {
  const folder = `${note.folder}/files/`;
  const files: Attachment[] = [];
  for await (const { key, size } of attachments.list(ctx, folder)) {
    files.push({ name: key.slice(folder.length), size: sizeOf(size) });
  }
  return files;
}

/** Creates a URL for uploading a file directly from the browser, limited to its type and the size allowed for it. */
export function signUpload(ctx: Context, note: Note, name: string, type: string): Promise<SignedURL> {
  return attachments.signedPut(ctx, fileKey(note, name), "10m", policyOf(typeOf(name, type)));
}

/** Stores a file that was uploaded through the service. */
export function keep(ctx: Context, note: Note, name: string, file: Blob): Promise<ObjectInfo> {
  const type = typeOf(name, file.type);
  const { maxSize = 0 } = policyOf(type);
  if (file.size === undefined || file.size > maxSize) throw Errorf(413, `this file is larger than ${sizeOf(maxSize)}`);
  return attachments.put(ctx, fileKey(note, name), { type, size: file.size, stream: () => file.stream() });
}

/** Creates a URL for downloading an attachment. */
export function signDownload(ctx: Context, note: Note, name: string): Promise<SignedURL> {
  return attachments.signedGet(ctx, fileKey(note, name), "5m");
}

export async function removeFile(ctx: Context, note: Note, name: string): Promise<void> {
  await attachments.delete(ctx, fileKey(note, name));
  await attachments.delete(ctx, textKey(note.folder, plainName(name)));
}

/** Deletes all attachments of a note. */
export async function removeFiles(ctx: Context, { folder }: Note): Promise<void> {
  for await (const { key } of attachments.list(ctx, `${folder}/`)) await attachments.delete(ctx, key);
}

/** Returns the key of an upload's extracted text. */
export function textKey(folder: string, name: string): string {
  return `${folder}/text/${name}`;
}

function fileKey({ folder }: Note, name: string): string {
  return `${folder}/files/${plainName(name)}`;
}

/** Converts a file name to one segment of a key. */
function plainName(name: string): string {
  const plain = name
    .replaceAll(/[/\\\p{C}]/gu, "_")
    .replace(/^\.+/, "_")
    .slice(0, 150);
  if (plain === "") throw Errorf(422, "an attachment needs a name");
  return plain;
}

/**
 * Returns the type that the browser sent, or guesses it from the name, because browsers do not know every type of text.
 */
function typeOf(name: string, type: string): string {
  if (type !== "") return type;
  return /\.(md|txt)$/i.test(name) ? "text/plain" : "application/octet-stream";
}

function policyOf(contentType: string): PutPolicy {
  const kind = Object.keys(kinds).find((each) => contentType.startsWith(each));
  if (kind === undefined) throw Errorf(415, "attach texts, pictures, sound, films, PDF or zip files");
  return { contentType, maxSize: kinds[kind] ?? 0 };
}

function sizeOf(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1_000_000 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
