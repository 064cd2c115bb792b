import { createHash } from "node:crypto";
import { createWriteStream, existsSync, readdirSync } from "node:fs";
import { mkdir, open, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { encodeTagged } from "../../lib/tagged-json.ts";
import type { Account } from "../accounts.ts";
import type { Platform } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import {
  accountsFile,
  documentsFile,
  exportVersion,
  objectsFile,
  recordFile,
  type AccountLine,
  type DocumentLine,
  type ExportRecord,
  type ObjectLine,
} from "./record.ts";

/** What is exported, and from where. */
export interface ExportSource {
  readonly app: string;
  readonly platform: Platform;
  /** The kinds of documents. */
  readonly kinds: readonly string[];
  readonly buckets: readonly string[];
  /** Whether it has accounts. */
  readonly accounts: boolean;
  /** What is kept of an account's password, of a store that gives it away. */
  readonly verifierOf?: (account: Account) => string | undefined;
}

const pageSize = 1_000;

/** Writes documents, objects and accounts to a directory that is not there or empty. Where it fails, nothing is left. */
export async function exportData(source: ExportSource, to: string): Promise<ExportRecord> {
  if (existsSync(to) && readdirSync(to).length > 0)
    throw new PlatformError("data", `${to} is there already: an export is made in a directory of its own`);
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  try {
    const record = await writeAll(source, partial);
    await rm(to, { recursive: true, force: true });
    await rename(partial, to);
    return record;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function writeAll(source: ExportSource, to: string): Promise<ExportRecord> {
  const { app, platform, kinds, buckets, accounts } = source;
  const at = new Date(platform.clock.now()).toISOString();
  const files: Record<string, ExportRecord["files"][string]> = {};
  const write = async (name: string, lines: AsyncIterable<object>): Promise<void> => {
    files[name] = await writeLines(join(to, name), lines);
  };
  for (const kind of kinds) await write(documentsFile(kind), documentsOf(platform, kind));
  for (const bucket of buckets) await write(objectsFile(bucket), objectsOf(platform, bucket, to));
  if (accounts) await write(accountsFile, accountsOf(source));
  const record: ExportRecord = { version: exportVersion, app, at, files };
  await writeFile(join(to, recordFile), `${JSON.stringify(record, undefined, 2)}\n`, { mode: 0o600, flush: true });
  return record;
}

async function writeLines(path: string, lines: AsyncIterable<object>): Promise<ExportRecord["files"][string]> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600);
  let count = 0;
  try {
    for await (const line of lines) {
      const text = `${encodeTagged(line)}\n`;
      hash.update(text);
      await file.writeFile(text);
      count++;
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { lines: count, sha256: hash.digest("hex") };
}

async function* documentsOf({ entities }: Platform, kind: string): AsyncGenerator<DocumentLine> {
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: Awaited<ReturnType<typeof entities.query>> = await entities.query({
      kind,
      filters: [],
      orders: [],
      limit: pageSize,
      ...(after !== "" && { after }),
    });
    for (const { id, fields, expires } of page.documents) yield { id, ...(expires && { expires }), fields };
    after = page.next;
  }
}

async function* objectsOf({ objects }: Platform, bucket: string, to: string): AsyncGenerator<ObjectLine> {
  const directory = join("objects", bucket);
  await mkdir(join(to, directory), { recursive: true, mode: 0o700 });
  let n = 0;
  for (let after: string | undefined = ""; after !== undefined;) {
    const page: Awaited<ReturnType<typeof objects.list>> = await objects.list(bucket, "", {
      limit: pageSize,
      ...(after !== "" && { after }),
    });
    for (const { key } of page.objects) {
      const object = await objects.open(bucket, key);
      // Deleted since it was listed.
      if (object === undefined) continue;
      const file = `${directory}/${++n}`;
      const { contentType, size, updated } = object;
      yield { key, contentType, size, updated, sha256: await writeBytes(object.stream(), join(to, file)), file };
    }
    after = page.next;
  }
}

async function writeBytes(bytes: ReadableStream<Uint8Array>, path: string): Promise<string> {
  const hash = createHash("sha256");
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  await pipeline(Readable.fromWeb(bytes as never), hashing, createWriteStream(path, { mode: 0o600, flush: true }));
  return hash.digest("hex");
}

async function* accountsOf({ platform: { accounts }, verifierOf }: ExportSource): AsyncGenerator<AccountLine> {
  for (let cursor: string | undefined = ""; cursor !== undefined;) {
    const page: Awaited<ReturnType<typeof accounts.list>> = await accounts.list(pageSize, cursor);
    for (const account of page.accounts) {
      const verifier = verifierOf?.(account);
      yield { ...account, ...(verifier !== undefined && { verifier }) };
    }
    cursor = page.next;
  }
}
