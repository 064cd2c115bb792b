import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { hashOf, hashOfFile } from "../../lib/hash.ts";
import { linesOf } from "../../lib/lines.ts";
import { decodeTagged, encodeTagged } from "../../lib/tagged-json.ts";
import type { Account } from "../accounts.ts";
import { isPlatformError, PlatformError } from "../errors.ts";
import {
  accountsFile,
  documentsFile,
  exportedPath,
  objectsFile,
  readExport,
  type AccountLine,
  type DocumentLine,
  type Exchanged,
  type ObjectLine,
} from "./record.ts";

/** Where data is imported. */
export interface ImportTarget extends Exchanged {
  /** Makes an account as it was, of a store that takes what is kept of its password. */
  readonly take?: (account: Account, verifier: string | undefined) => Promise<Account>;
}

/** What an import came to. */
export interface Imported {
  /** What was not there and is now, by what it is. */
  readonly made: { readonly documents: number; readonly objects: number; readonly accounts: number };
  /** How many were there already, and equal. */
  readonly there: number;
  /** What is there already and is something else, which was left as it is. */
  readonly different: readonly string[];
  /** How many accounts had a password that the store could not take. */
  readonly withoutPassword: number;
}

/** Writes that are under way at the same time. */
const atOnce = 32;

/**
 * Writes what was exported to a platform, where it is not there yet, and changes nothing that is there: where it was cut short it can be
 * done again. Fails with `data`, before anything is written, where the export is not whole or has what the application does not declare.
 */
export async function importData(from: string, target: ImportTarget): Promise<Imported> {
  const { files } = await readExport(from);
  requireDeclared(Object.keys(files), target);
  const import_ = new Import(from, target);
  for (const kind of target.kinds)
    if (files[documentsFile(kind)])
      await import_.eachLine(documentsFile(kind), (line) => import_.document(kind, line as DocumentLine));
  for (const bucket of target.buckets)
    if (files[objectsFile(bucket)])
      await import_.eachLine(objectsFile(bucket), (line) => import_.object(bucket, line as ObjectLine));
  if (target.accounts && files[accountsFile])
    await import_.eachLine(accountsFile, (line) => import_.account(line as AccountLine));
  return import_.came;
}

function requireDeclared(files: readonly string[], { kinds, buckets, accounts }: ImportTarget): void {
  const known = new Set([
    ...kinds.map(documentsFile),
    ...buckets.map(objectsFile),
    ...(accounts ? [accountsFile] : []),
  ]);
  const unknown = files.filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new PlatformError("data", `the export has ${unknown.join(", ")}, which the application does not declare`);
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

  get came(): Imported {
    return {
      made: this.#made,
      there: this.#there,
      different: this.#different.toSorted(),
      withoutPassword: this.#withoutPassword,
    };
  }

  /** Works on the lines of a file, some at a time; rejects with the failure of the first one that fails. */
  async eachLine(name: string, work: (line: unknown) => Promise<void>): Promise<void> {
    const working = new Set<Promise<void>>();
    const failures: unknown[] = [];
    const file = createReadStream(exportedPath(this.#from, name), "utf8") as AsyncIterable<string>;
    try {
      for await (const line of linesOf(file)) {
        const one = work(decodeTagged(line))
          .catch((error: unknown) => void failures.push(error))
          .finally(() => working.delete(one));
        working.add(one);
        if (working.size >= atOnce) await Promise.race(working);
        if (failures.length > 0) break;
      }
    } finally {
      await Promise.all(working);
    }
    if (failures.length > 0) throw failures[0];
  }

  async document(kind: string, { id, fields, expires }: DocumentLine): Promise<void> {
    const { entities } = this.#target.platform;
    const key = { kind, id };
    try {
      await entities.insert(key, fields, expires && { expires });
      this.#made.documents++;
    } catch (error) {
      if (!isPlatformError(error, "exists")) throw error;
      const there = await entities.get(key);
      const same = encodeSorted([there?.fields, there?.expires]) === encodeSorted([fields, expires]);
      this.#compared(same, `the document ${JSON.stringify(id)} of ${kind}`);
    }
  }

  async object(bucket: string, { key, contentType, size, sha256, file }: ObjectLine): Promise<void> {
    const { objects } = this.#target.platform;
    const path = exportedPath(this.#from, file);
    const name = `the object ${JSON.stringify(key)} of ${bucket}`;
    const there = await objects.open(bucket, key);
    if (there !== undefined) {
      const same =
        there.contentType === contentType &&
        there.size === size &&
        (await hashOf(there.stream())).digest("hex") === sha256;
      return this.#compared(same, name);
    }
    if ((await hashOfFile(path)).digest("hex") !== sha256)
      throw new PlatformError("data", `${path} is not what was exported as ${name}`);
    await objects.put(bucket, key, Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>, {
      contentType,
    });
    this.#made.objects++;
  }

  async account({ verifier, ...account }: AccountLine): Promise<void> {
    const { platform, take } = this.#target;
    const there = await platform.accounts.get(account.id);
    if (there !== undefined) return this.#compared(isSameAccount(there, account), `the account ${account.id}`);
    try {
      if (take !== undefined) await take(account, verifier);
      else await this.#make(account);
    } catch (error) {
      if (!isPlatformError(error, "exists")) throw error;
      return this.#compared(false, `the account of ${account.email}`);
    }
    this.#made.accounts++;
    if (account.hasPassword && (take === undefined || verifier === undefined)) this.#withoutPassword++;
  }

  async #make({ id, email, name, emailVerified, claims, disabled }: Account): Promise<void> {
    const { accounts } = this.#target.platform;
    await accounts.create({ id, email, name, emailVerified, claims });
    if (disabled) await accounts.setDisabled(id, true);
  }

  #compared(same: boolean, name: string): void {
    if (same) this.#there++;
    else this.#different.push(name);
  }
}

/** What an import makes of an account on any platform: addresses count without regard to case. */
function isSameAccount(one: Account, other: Account): boolean {
  return comparedOf(one) === comparedOf(other);
}

function comparedOf({ email, name, emailVerified, disabled, claims }: Account): string {
  return encodeSorted([email.toLowerCase(), name, emailVerified, disabled, claims]);
}

/** Equal texts for equal values, in whatever order their properties are. */
function encodeSorted(value: unknown): string {
  return encodeTagged(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, property]) => [name, sorted(property)]));
}
