import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { hashOf, hashOfFile } from "../../lib/hash.ts";
import { linesOf } from "../../lib/lines.ts";
import { decodeTagged } from "../../lib/tagged-json.ts";
import type { Account } from "../accounts.ts";
import { isPlatformError, PlatformError } from "../errors.ts";
import type { Fields } from "../values.ts";
import { createWithoutPassword, isSameAccount } from "./accounts.ts";
import { canonicalText } from "./canonical.ts";
import { concurrently } from "./concurrently.ts";
import {
  accountsFile,
  documentsFile,
  exportedPath,
  objectsFile,
  readExport,
  type AccountLine,
  type DocumentLine,
  type TransferScope,
  type ObjectLine,
} from "./record.ts";

/** The platform that receives the data. */
export interface ImportTarget extends TransferScope {
  /** Creates an account with its password hash; absent if the store cannot import hashes. */
  readonly take?: (account: Account, verifier: string | undefined) => Promise<Account>;
  /** Returns why the application could not read a document; undefined if it can, possibly with a migration rule. */
  readonly misfitOf?: (kind: string, id: string, fields: Fields) => string | undefined;
}

export interface ImportResult {
  readonly created: { readonly documents: number; readonly objects: number; readonly accounts: number };
  /** The number of items that already existed with the same content. */
  readonly unchanged: number;
  /** The names of items that already existed with different content, which the import leaves unchanged. */
  readonly different: readonly string[];
  /** The number of accounts whose password could not be imported. */
  readonly withoutPassword: number;
}

/** The maximum number of unfit documents to list in an error message. */
const namedMisfits = 20;

/**
 * Adds an export's new items to a platform without changing existing ones, so an interrupted import can be repeated.
 * Throws a PlatformError `data`, before writing anything, if the export is incomplete, or if it contains something that
 * the application does not declare or cannot read. Stops with `data` at the first damaged object or rejected document.
 */
export async function importData(from: string, target: ImportTarget): Promise<ImportResult> {
  const { files } = await readExport(from);
  requireDeclared(Object.keys(files), target);
  await requireFitting(from, Object.keys(files), target);
  const import_ = new Import(from, target);
  for (const kind of target.kinds)
    if (files[documentsFile(kind)])
      await import_.eachLine(documentsFile(kind), (line) => import_.document(kind, line as DocumentLine));
  for (const bucket of target.buckets)
    if (files[objectsFile(bucket)])
      await import_.eachLine(objectsFile(bucket), (line) => import_.object(bucket, line as ObjectLine));
  if (target.accounts && files[accountsFile])
    await import_.eachLine(accountsFile, (line) => import_.account(line as AccountLine));
  return import_.result;
}

function requireDeclared(files: readonly string[], { kinds, buckets, accounts }: ImportTarget): void {
  const declaredFiles = new Set([
    ...kinds.map(documentsFile),
    ...buckets.map(objectsFile),
    ...(accounts ? [accountsFile] : []),
  ]);
  const unknown = files.filter((name) => !declaredFiles.has(name));
  if (unknown.length > 0)
    throw new PlatformError("data", `the export has ${unknown.join(", ")}, which the application does not declare`);
}

async function requireFitting(from: string, files: readonly string[], target: ImportTarget): Promise<void> {
  const { misfitOf, kinds } = target;
  if (misfitOf === undefined) return;
  const misfits: string[] = [];
  for (const kind of kinds) {
    const name = documentsFile(kind);
    if (!files.includes(name)) continue;
    let lineNumber = 0;
    for await (const line of linesOf(createReadStream(exportedPath(from, name), "utf8") as AsyncIterable<string>)) {
      lineNumber++;
      const { id, fields } = decodeTagged(line) as DocumentLine;
      const misfit = misfitOf(kind, id, fields);
      if (misfit !== undefined) misfits.push(`${name}:${lineNumber}: ${misfit}`);
    }
  }
  if (misfits.length === 0) return;
  const more = misfits.length > namedMisfits ? [`and ${misfits.length - namedMisfits} more`] : [];
  const lines = [...misfits.slice(0, namedMisfits), ...more];
  throw new PlatformError(
    "data",
    `nothing was imported, because the application cannot read all of ${from}: declare an upgrade for these fields\n${lines.join("\n")}`,
  );
}

class Import {
  readonly #from: string;
  readonly #target: ImportTarget;
  readonly #made = { documents: 0, objects: 0, accounts: 0 };
  readonly #different: string[] = [];
  #there = 0;
  #withoutPassword = 0;

  constructor(from: string, target: ImportTarget) {
    this.#from = from;
    this.#target = target;
  }

  get result(): ImportResult {
    return {
      created: this.#made,
      unchanged: this.#there,
      different: this.#different.toSorted(),
      withoutPassword: this.#withoutPassword,
    };
  }

  /** Processes the lines of a file concurrently; rejects with the first failure. */
  async eachLine(name: string, work: (line: unknown) => Promise<void>): Promise<void> {
    const file = createReadStream(exportedPath(this.#from, name), "utf8") as AsyncIterable<string>;
    await concurrently(linesOf(file), (line) => work(decodeTagged(line)));
  }

  async document(kind: string, { id, fields, expires }: DocumentLine): Promise<void> {
    const { entities } = this.#target.platform;
    const key = { kind, id };
    try {
      await entities.insert(key, fields, expires && { expires });
      this.#made.documents++;
    } catch (error) {
      if (!isPlatformError(error, "exists")) throw asDataError(error, kind);
      const existing = await entities.get(key);
      const same = canonicalText([existing?.fields, existing?.expires]) === canonicalText([fields, expires]);
      this.compared(same, `the document ${JSON.stringify(id)} of ${kind}`);
    }
  }

  async object(bucket: string, { key, contentType, size, sha256, file }: ObjectLine): Promise<void> {
    const { objects } = this.#target.platform;
    const path = exportedPath(this.#from, file);
    const name = `the object ${JSON.stringify(key)} of ${bucket}`;
    const existing = await objects.open(bucket, key);
    if (existing !== undefined) {
      const same =
        existing.contentType === contentType &&
        existing.size === size &&
        (await hashOf(existing.stream())).digest("hex") === sha256;
      return this.compared(same, name);
    }
    if ((await hashOfFile(path)).digest("hex") !== sha256)
      throw new PlatformError("data", `${path} is damaged: its bytes are not those of ${name} in the export`);
    await objects.put(bucket, key, Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>, {
      contentType,
    });
    this.#made.objects++;
  }

  async account({ verifier, ...account }: AccountLine): Promise<void> {
    const { platform, take } = this.#target;
    const existing = await platform.accounts.get(account.id);
    if (existing !== undefined) return this.compared(isSameAccount(existing, account), `the account ${account.id}`);
    try {
      if (take !== undefined) await take(account, verifier);
      else await createWithoutPassword(platform.accounts, account);
    } catch (error) {
      if (!isPlatformError(error, "exists")) throw error;
      return this.compared(false, `the account of ${account.email}`);
    }
    this.#made.accounts++;
    if (account.hasPassword && (take === undefined || verifier === undefined)) this.#withoutPassword++;
  }

  compared(same: boolean, name: string): void {
    if (same) this.#there++;
    else this.#different.push(name);
  }
}

/** The error codes for documents that the store rejects. */
const unstorable = ["document", "shape", "indexed", "too-large"] as const;

/**
 * Converts the store's rejection of a document (for example, one with too many words) to a PlatformError `data`.
 * Returns other errors unchanged.
 */
function asDataError(error: unknown, kind: string): unknown {
  for (const code of unstorable)
    if (isPlatformError(error, code))
      return new PlatformError(
        "data",
        `${documentsFile(kind)} has a document that the application cannot store: ${error.message}\nchange the document or the application's indexes and import again; documents that exist are not changed`,
      );
  return error;
}
