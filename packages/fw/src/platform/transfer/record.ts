import { existsSync } from "node:fs";
import { join } from "node:path";
import { mapOf, number, object, text, type Codec } from "../../lib/codec.ts";
import { hashOfFile } from "../../lib/hash.ts";
import { ofVersion, readOwnFile } from "../../lib/own-file.ts";
import type { Account } from "../accounts.ts";
import type { Document, Platform } from "../contract.ts";
import { PlatformError } from "../errors.ts";
import { namedFile } from "../named-file.ts";
import type { ObjectFacts } from "../objects.ts";

/** What of a platform is exported, or imported. */
export interface Exchanged {
  readonly platform: Platform;
  /** The kinds of documents. */
  readonly kinds: readonly string[];
  readonly buckets: readonly string[];
  /** Whether it has accounts. */
  readonly accounts: boolean;
}

/** What an export says of itself: `export.json`, which is written last. Without it an export is not whole. */
export interface ExportRecord {
  readonly version: typeof exportVersion;
  readonly app: string;
  /** When it began, RFC 3339. */
  readonly at: string;
  /** The lines of each file, and the hash of its bytes, by its path. */
  readonly files: Readonly<Record<string, ExportedFile>>;
}

interface ExportedFile {
  readonly lines: number;
  readonly sha256: string;
}

/** Raised where a reader of this version would read another one wrongly. */
export const exportVersion = 1;

export const recordFile = "export.json";
export const accountsFile = "accounts.jsonl";

const exportRecord: Codec<ExportRecord> = object<ExportRecord>({
  version: number as Codec<typeof exportVersion>,
  app: text,
  at: text,
  files: mapOf(object<ExportedFile>({ lines: number, sha256: text })),
});

/** A line of `documents/<kind>.jsonl`, as `lib/tagged-json.ts` writes values. */
export type DocumentLine = Pick<Document, "id" | "expires" | "fields">;

/** A line of `objects/<bucket>.jsonl`. */
export interface ObjectLine extends Omit<ObjectFacts, "etag"> {
  readonly sha256: string;
  /** Where the bytes are, from the export's directory. */
  readonly file: string;
}

/** A line of `accounts.jsonl`. */
export interface AccountLine extends Account {
  /** What is kept of its password, where the store that it comes from gives it away: `pbkdf2-sha512$<iterations>$<salt>$<key>`. */
  readonly verifier?: string;
}

export function documentsFile(kind: string): string {
  return `documents/${kind}.jsonl`;
}

export function objectsFile(bucket: string): string {
  return `objects/${bucket}.jsonl`;
}

/** What an export says of itself, once all of its lists are what was written; fails with `data` where it is not whole. */
export async function readExport(directory: string): Promise<ExportRecord> {
  const path = join(directory, recordFile);
  if (!existsSync(path))
    throw new PlatformError(
      "data",
      `${directory} is no whole export: ${recordFile}, which is written last, is not in it`,
    );
  const record = readOwnFile(path, ofVersion(exportVersion, exportRecord));
  if (record === undefined)
    throw new PlatformError("data", `${directory} was exported by another version of fw; import it with that one`);
  for (const [name, { sha256 }] of Object.entries(record.files)) {
    const list = exportedPath(directory, name);
    if (!existsSync(list) || (await hashOfFile(list)).digest("hex") !== sha256)
      throw new PlatformError("data", `${list} is not what was exported`);
  }
  return record;
}

/** The path of a file of an export, by its path from the export's directory. */
export function exportedPath(directory: string, path: unknown): string {
  const [, names = "", extension = ""] = /^(.*?)(\.jsonl)?$/s.exec(String(path)) ?? [];
  return `${names.split("/").reduce((folder, name) => namedFile(folder, name), directory)}${extension}`;
}
