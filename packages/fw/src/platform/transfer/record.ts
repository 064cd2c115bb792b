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

export interface TransferScope {
  readonly platform: Platform;
  readonly kinds: readonly string[];
  readonly buckets: readonly string[];
  readonly accounts: boolean;
}

/** Access to password hashes, for stores that can export and import them. */
export interface AccountTransfer {
  verifierOf(account: Pick<Account, "id">): string | undefined | Promise<string | undefined>;
  /** Imports an account from another store with its password hash. Throws a PlatformError `exists` or `document`. */
  take(account: Account, verifier: string | undefined): Promise<Account>;
}

/** The metadata of an export, `export.json`. It is written last, so an export without it is incomplete. */
export interface ExportRecord {
  readonly version: typeof exportVersion;
  readonly app: string;
  /** The time at which the export started, in RFC 3339 format. */
  readonly at: string;
  /** The line count and hash of each `.jsonl` file, by path. */
  readonly files: Readonly<Record<string, ExportedFile>>;
}

interface ExportedFile {
  readonly lines: number;
  readonly sha256: string;
}

/** Incremented when older readers would misread the format. */
export const exportVersion = 1;

export const recordFile = "export.json";
export const accountsFile = "accounts.jsonl";

const exportRecord: Codec<ExportRecord> = object<ExportRecord>({
  version: number as Codec<typeof exportVersion>,
  app: text,
  at: text,
  files: mapOf(object<ExportedFile>({ lines: number, sha256: text })),
});

/** A line of `documents/<kind>.jsonl`, in the format of `lib/tagged-json.ts`. */
export type DocumentLine = Pick<Document, "id" | "expires" | "fields">;

export interface ObjectLine extends Omit<ObjectFacts, "etag"> {
  readonly sha256: string;
  /** The path of the bytes within the export's directory. */
  readonly file: string;
}

export interface AccountLine extends Account {
  /** The password hash, if the exporting store can export it: `pbkdf2-sha512$<iterations>$<salt>$<key>`. */
  readonly verifier?: string;
}

export function documentsFile(kind: string): string {
  return `documents/${kind}.jsonl`;
}

export function objectsFile(bucket: string): string {
  return `objects/${bucket}.jsonl`;
}

/**
 * Reads an export's metadata and verifies the files that it names. Fails with `data` if the export is incomplete or
 * damaged, or if another version of fw wrote it.
 */
export async function readExport(directory: string): Promise<ExportRecord> {
  const path = join(directory, recordFile);
  if (!existsSync(path))
    throw new PlatformError("data", `${directory} is not a complete export: ${recordFile} is missing`);
  const record = readOwnFile(path, ofVersion(exportVersion, exportRecord));
  if (record === undefined)
    throw new PlatformError("data", `another version of fw exported ${directory}; import it with that version`);
  for (const [name, { sha256 }] of Object.entries(record.files)) {
    const list = exportedPath(directory, name);
    if (!existsSync(list) || (await hashOfFile(list)).digest("hex") !== sha256)
      throw new PlatformError("data", `${list} has changed since the export`);
  }
  return record;
}

export function exportedPath(directory: string, path: unknown): string {
  const [, names = "", extension = ""] = /^(.*?)(\.jsonl)?$/s.exec(String(path)) ?? [];
  return `${names.split("/").reduce((folder, name) => namedFile(folder, name), directory)}${extension}`;
}
