import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { encodeTagged } from "../../lib/tagged-json.ts";
import type { Account } from "../accounts.ts";
import type { Platform } from "../contract.ts";
import { newDirectory } from "../new-directory.ts";
import { accountsOf, documentsOf, objectsOf } from "./lists.ts";
import {
  accountsFile,
  documentsFile,
  exportedPath,
  exportVersion,
  objectsFile,
  recordFile,
  type AccountLine,
  type DocumentLine,
  type TransferScope,
  type ExportRecord,
  type ObjectLine,
} from "./record.ts";

export interface ExportSource extends TransferScope {
  readonly app: string;
  /** The application's model as text, for imports that have no other source of it. */
  readonly model?: string;
  /** The application's recorded schema: its file name and text. */
  readonly schema?: readonly [file: string, text: string];
  /** Returns the hash of an account's password, if the store can export it. */
  readonly verifierOf?: (account: Account) => string | undefined;
}

/**
 * Writes the source's documents, objects, accounts, model and schema to a new or empty directory. Leaves nothing behind
 * on failure.
 */
export async function exportData(source: ExportSource, to: string): Promise<ExportRecord> {
  const { app, platform, kinds, buckets, accounts } = source;
  return newDirectory(to, "an export", async (partial) => {
    const at = new Date(platform.clock.now()).toISOString();
    const files: Record<string, ExportRecord["files"][string]> = {};
    const write = async (name: string, lines: AsyncIterable<object>): Promise<void> => {
      files[name] = await writeLines(exportedPath(partial, name), lines);
    };
    for (const kind of kinds) await write(documentsFile(kind), documentLines(platform, kind));
    for (const bucket of buckets) await write(objectsFile(bucket), objectLines(platform, bucket, partial));
    if (accounts) await write(accountsFile, accountLines(source));
    if (source.model !== undefined)
      await writeFile(join(partial, "model.json"), source.model, { mode: 0o600, flush: true });
    if (source.schema !== undefined)
      await writeFile(join(partial, source.schema[0]), source.schema[1], { mode: 0o600, flush: true });
    const record: ExportRecord = { version: exportVersion, app, at, files };
    await writeFile(join(partial, recordFile), `${JSON.stringify(record, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    return record;
  });
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

async function* documentLines(platform: Platform, kind: string): AsyncGenerator<DocumentLine> {
  for await (const { id, fields, expires } of documentsOf(platform, kind))
    yield { id, ...(expires && { expires }), fields };
}

async function* objectLines(platform: Platform, bucket: string, to: string): AsyncGenerator<ObjectLine> {
  const directory = `objects/${bucket}`;
  await mkdir(exportedPath(to, directory), { recursive: true, mode: 0o700 });
  let n = 0;
  for await (const { key } of objectsOf(platform, bucket)) {
    const object = await platform.objects.open(bucket, key);
    // The object was deleted after it was listed.
    if (object === undefined) continue;
    const file = `${directory}/${++n}`;
    const { contentType, size, updated } = object;
    const sha256 = await writeBytes(object.stream(), exportedPath(to, file));
    yield { key, contentType, size, updated, sha256, file };
  }
}

async function writeBytes(bytes: ReadableStream<Uint8Array>, path: string): Promise<string> {
  const hash = createHash("sha256");
  const hashChunks = async function* (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(bytes, hashChunks, createWriteStream(path, { mode: 0o600, flush: true }));
  return hash.digest("hex");
}

async function* accountLines({ platform, verifierOf }: ExportSource): AsyncGenerator<AccountLine> {
  for await (const account of accountsOf(platform)) {
    const verifier = verifierOf?.(account);
    yield { ...account, ...(verifier !== undefined && { verifier }) };
  }
}
