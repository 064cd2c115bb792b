import { createHash } from "node:crypto";
import { accountText } from "./accounts.ts";
import { canonicalText } from "./canonical.ts";
import { contentHash, type CopyScope, type CopySide } from "./copy.ts";
import { accountsOf, documentsOf, objectsOf } from "./lists.ts";
import { deadPages, waitingPages, type MessageStore } from "./messages.ts";

/** The length of one list of a store's data, and a SHA-256 of its items. */
export interface ListDigest {
  /** Such as `documents of orders`, `objects of photos`, `accounts` or `messages`. */
  readonly list: string;
  readonly items: number;
  readonly sha256: string;
}

/**
 * Returns a digest of each list on one side; stores with the same data have equal digests. Reads the bytes of objects
 * if `byContent` is set; otherwise uses their ETags, which must then be hashes of the content.
 */
export async function digestsOf(
  { platform }: CopySide,
  { kinds, buckets, accounts }: CopyScope,
  byContent: boolean,
): Promise<readonly ListDigest[]> {
  const digests: ListDigest[] = [];
  for (const kind of kinds) {
    const texts = mapped(documentsOf(platform, kind), ({ id, fields, expires }) =>
      canonicalText([id, fields, expires]),
    );
    digests.push(await digestOf(`documents of ${kind}`, texts));
  }
  for (const bucket of buckets) {
    const texts = mapped(objectsOf(platform, bucket), async ({ key, size, contentType, etag }) =>
      canonicalText([key, size, contentType, byContent ? await contentHash(platform, bucket, key) : etag]),
    );
    digests.push(await digestOf(`objects of ${bucket}`, texts));
  }
  if (!accounts) return digests;
  // Stores list accounts in different orders, so they are sorted here. Sorting their hashes saves memory.
  const texts: string[] = [];
  for await (const account of accountsOf(platform)) texts.push(hashed(account.id + accountText(account)));
  return [...digests, { list: "accounts", items: texts.length, sha256: hashed(texts.toSorted().join("\n")) }];
}

export async function messageDigestsOf(store: MessageStore): Promise<readonly ListDigest[]> {
  const waiting = mapped(itemsOf(waitingPages(store)), (message) => canonicalText({ ...message, position: null }));
  const dead = mapped(itemsOf(deadPages(store)), (message) => canonicalText({ ...message, position: null }));
  return [await digestOf("messages", waiting), await digestOf("dead messages", dead)];
}

async function* itemsOf<T>(pages: AsyncIterable<readonly T[]>): AsyncGenerator<T> {
  for await (const page of pages) yield* page;
}

async function* mapped<T>(
  items: AsyncIterable<T>,
  text: (item: T) => string | Promise<string>,
): AsyncGenerator<string> {
  for await (const item of items) yield await text(item);
}

async function digestOf(list: string, texts: AsyncIterable<string>): Promise<ListDigest> {
  const hash = createHash("sha256");
  let items = 0;
  for await (const text of texts) {
    hash.update(`${text}\n`);
    items++;
  }
  return { list, items, sha256: hash.digest("hex") };
}

function hashed(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
