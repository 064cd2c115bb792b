import { hashOf } from "../../lib/hash.ts";
import type { Account } from "../accounts.ts";
import type { Document, KindDefinition, Platform } from "../contract.ts";
import { isPlatformError, PlatformError } from "../errors.ts";
import type { ObjectFacts } from "../objects.ts";
import { createWithoutPassword, isSameAccount } from "./accounts.ts";
import { canonicalText } from "./canonical.ts";
import { concurrently } from "./concurrently.ts";
import { copyMarkKind } from "./copy-mark.ts";
import { accountsOf, documentsOf, objectsOf } from "./lists.ts";
import { hasMessages, type MessageStore } from "./messages.ts";
import type { AccountTransfer, TransferScope } from "./record.ts";

export interface CopySide {
  readonly platform: Platform;
  /** Copies password hashes; absent if the store cannot export or import them. */
  readonly transfer?: AccountTransfer;
  /** The waiting and dead messages; absent if a running server delivers them or the store cannot list them. */
  readonly messages?: MessageStore;
  /** True if ETags are hashes of the content, which are equal across such stores. */
  readonly hashesContent: boolean;
}

export interface CopyScope extends Omit<TransferScope, "platform"> {
  /** Identifies the source and the application: an interrupted copy may continue only from the same source. */
  readonly origin: string;
}

/** The numbers of items that a pass has compared, written and deleted. */
export interface CopyCounts {
  documents: number;
  objects: number;
  accounts: number;
  writes: number;
  deletions: number;
  /** The number of accounts whose password could not be copied. */
  withoutPassword: number;
}

const markKey = { kind: copyMarkKind, id: "mark" };

/** The definition that both sides need in addition to the application's own. */
export const copyKinds: readonly KindDefinition[] = [
  { kind: copyMarkKind, framework: true, properties: [], composites: [] },
];

/**
 * Makes the target equal to the source: writes what is missing or different, and deletes what the source lacks. Run it
 * again to resume an interrupted pass. Throws a PlatformError `data` if the target has data that was not copied from
 * this source. If the ETags of either store are not hashes, an `exact` pass compares the bytes of objects; any other
 * pass trusts the same size and type if the target's object is not older.
 */
export async function copyData(from: CopySide, to: CopySide, scope: CopyScope, exact: boolean): Promise<CopyCounts> {
  await claimTarget(to, scope);
  const pass = new Pass(from, to, exact);
  for (const kind of scope.kinds) await pass.documents(kind);
  for (const bucket of scope.buckets) await pass.objects(bucket);
  if (scope.accounts) await pass.accounts();
  return pass.counts;
}

/** Returns the source of an incomplete copy into this store; undefined if there is none. */
export async function unfinishedCopyOf({ entities }: Pick<Platform, "entities">): Promise<string | undefined> {
  const mark = await entities.get(markKey);
  return mark?.fields["origin"] as string | undefined;
}

/** Completes a copy. After this, no copy may change the target. */
export async function completeCopy({ platform }: CopySide): Promise<void> {
  await platform.entities.delete(markKey);
}

/** Marks an empty target, unless the same source has already marked it. Refuses any other. */
async function claimTarget({ platform: target, messages }: CopySide, scope: CopyScope): Promise<void> {
  const origin = await unfinishedCopyOf(target);
  if (origin === scope.origin) return;
  if (origin !== undefined) throw new PlatformError("data", `the target has an unfinished copy of ${origin}`);
  if ((messages !== undefined && (await hasMessages(messages))) || !(await isEmpty(target, scope)))
    throw new PlatformError("data", "the target has data already: a copy needs a store without data");
  await target.entities.insert(markKey, { origin: scope.origin });
}

async function isEmpty(platform: Platform, { kinds, buckets, accounts }: CopyScope): Promise<boolean> {
  const lists = [
    ...kinds.map((kind) => documentsOf(platform, kind)),
    ...buckets.map((bucket) => objectsOf(platform, bucket)),
    ...(accounts ? [accountsOf(platform)] : []),
  ];
  for (const list of lists) {
    const { done } = await list.next();
    await list.return();
    if (!done) return false;
  }
  return true;
}

class Pass {
  readonly counts: CopyCounts = { documents: 0, objects: 0, accounts: 0, writes: 0, deletions: 0, withoutPassword: 0 };
  readonly #from: CopySide;
  readonly #to: CopySide;
  readonly #exact: boolean;

  constructor(from: CopySide, to: CopySide, exact: boolean) {
    this.#from = from;
    this.#to = to;
    this.#exact = exact;
  }

  async documents(kind: string): Promise<void> {
    const [source, target] = [documentsOf(this.#from.platform, kind), documentsOf(this.#to.platform, kind)];
    await concurrently(
      pairsOf(source, target, ({ id }) => id),
      (pair) => this.#document(kind, pair),
    );
  }

  async objects(bucket: string): Promise<void> {
    const [source, target] = [objectsOf(this.#from.platform, bucket), objectsOf(this.#to.platform, bucket)];
    await concurrently(
      pairsOf(source, target, ({ key }) => key),
      (pair) => this.#object(bucket, pair),
    );
  }

  async accounts(): Promise<void> {
    for await (const account of accountsOf(this.#to.platform)) {
      if ((await this.#from.platform.accounts.get(account.id)) !== undefined) continue;
      await this.#to.platform.accounts.delete(account.id);
      this.counts.deletions++;
    }
    for await (const account of accountsOf(this.#from.platform)) await this.#account(account);
  }

  async #document(kind: string, { key: id, source, target }: Pair<Document>): Promise<void> {
    const { entities } = this.#to.platform;
    if (source === undefined) {
      await entities.delete({ kind, id });
      this.counts.deletions++;
      return;
    }
    this.counts.documents++;
    if (target !== undefined && isSameDocument(source, target)) return;
    await entities.upsert({ kind, id }, source.fields, source.expires && { expires: source.expires });
    this.counts.writes++;
  }

  async #object(bucket: string, { key, source, target }: Pair<ObjectFacts>): Promise<void> {
    if (source === undefined) {
      await this.#to.platform.objects.delete(bucket, key);
      this.counts.deletions++;
      return;
    }
    this.counts.objects++;
    if (target !== undefined && (await this.#isSameObject(bucket, source, target))) return;
    const object = await this.#from.platform.objects.open(bucket, key);
    // The object was deleted after it was listed. The next pass deletes it from the target.
    if (object === undefined) return;
    await this.#to.platform.objects.put(bucket, key, object.stream(), { contentType: object.contentType });
    this.counts.writes++;
  }

  async #isSameObject(bucket: string, source: ObjectFacts, target: ObjectFacts): Promise<boolean> {
    if (source.size !== target.size || source.contentType !== target.contentType) return false;
    if (this.#from.hashesContent && this.#to.hashesContent) return source.etag === target.etag;
    if (!this.#exact) return target.updated >= source.updated;
    const hashes = await Promise.all(
      [this.#from, this.#to].map((side) => contentHash(side.platform, bucket, source.key)),
    );
    return hashes[0] === hashes[1];
  }

  async #account(account: Account): Promise<void> {
    const { accounts } = this.#to.platform;
    this.counts.accounts++;
    const verifier = await this.#from.transfer?.verifierOf(account);
    const existing = await accounts.get(account.id);
    const isKept = verifier !== undefined && this.#to.transfer !== undefined;
    if (account.hasPassword && !isKept) this.counts.withoutPassword++;
    if (existing !== undefined && isSameAccount(existing, account)) {
      if (!isKept || (await this.#to.transfer?.verifierOf(existing)) === verifier) return;
    }
    if (existing !== undefined) await accounts.delete(existing.id);
    await this.#make(account, verifier);
    this.counts.writes++;
  }

  async #make(account: Account, verifier: string | undefined): Promise<void> {
    const { accounts } = this.#to.platform;
    const { transfer } = this.#to;
    const make = async (): Promise<void> =>
      transfer === undefined ? createWithoutPassword(accounts, account) : void (await transfer.take(account, verifier));
    try {
      await make();
    } catch (error) {
      if (!isPlatformError(error, "exists")) throw error;
      // Another account in the target still has this address, which has changed in the source. Delete that account;
      // this pass or the next one copies it again.
      const holder = await accounts.byEmail(account.email);
      if (holder !== undefined) await accounts.delete(holder.id);
      await make();
    }
  }
}

function isSameDocument(one: Document, other: Document): boolean {
  return canonicalText([one.fields, one.expires]) === canonicalText([other.fields, other.expires]);
}

/** Returns the hash of an object's bytes; undefined if the object does not exist. */
export async function contentHash({ objects }: Platform, bucket: string, key: string): Promise<string | undefined> {
  const object = await objects.open(bucket, key);
  return object && (await hashOf(object.stream())).digest("hex");
}

/** The items with one key in two lists. At least one of them is present. */
interface Pair<T> {
  readonly key: string;
  readonly source?: T;
  readonly target?: T;
}

/** Pairs the items of two lists, both sorted by the UTF-8 bytes of their keys. Holds one item per list in memory. */
async function* pairsOf<T>(
  source: AsyncGenerator<T, void>,
  target: AsyncGenerator<T, void>,
  keyOf: (item: T) => string,
): AsyncGenerator<Pair<T>, void> {
  let [one, other] = await Promise.all([source.next(), target.next()]);
  while (!one.done || !other.done) {
    const order = one.done ? 1 : other.done ? -1 : compareBytes(keyOf(one.value), keyOf(other.value));
    if (order <= 0 && !one.done) {
      const found = order === 0 && !other.done ? { target: other.value } : {};
      yield { key: keyOf(one.value), source: one.value, ...found };
    } else if (!other.done) yield { key: keyOf(other.value), target: other.value };
    [one, other] = await Promise.all([order <= 0 ? source.next() : one, order >= 0 ? target.next() : other]);
  }
}

function compareBytes(one: string, other: string): number {
  return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
}
