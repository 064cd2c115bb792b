import type { Clock, Key } from "../contract.ts";
import { decodeFields, type EncodedDocument } from "../document.ts";
import { claimsOf, isGuarded, takenError, type Change, type Claim } from "../unique.ts";
import type { Catalog } from "./catalog.ts";
import type { Documents } from "./documents.ts";
import { entryKeys } from "./index-entries.ts";
import type { Database, Statement } from "./sqlite.ts";

/** A write of one document; an undefined document means a delete. */
interface Write {
  readonly key: Key;
  readonly document: EncodedDocument | undefined;
}

interface UniqueParts {
  readonly database: Database;
  readonly catalog: Catalog;
  readonly documents: Documents;
  readonly clock: Clock;
}

/** Enforces unique properties. Use it inside a SQLite transaction. */
export class Uniques {
  readonly #parts: UniqueParts;
  readonly #holders: Statement;

  constructor(parts: UniqueParts) {
    this.#parts = parts;
    this.#holders = parts.database.prepare(
      `SELECT e.id FROM entries e CROSS JOIN documents d ON d.kind = ? AND d.id = e.id
       WHERE e.ix = ? AND e.key = ? AND (d.expires IS NULL OR d.expires > ?) LIMIT ?`,
    );
  }

  /** Checks pending writes. Throws a PlatformError `taken` if they would create a duplicate. */
  check(writes: readonly Write[]): void {
    const changes = writes.flatMap((write) => this.#change(write));
    if (changes.length > 0) for (const claim of claimsOf(changes)) this.#refuseTaken(claim);
  }

  /** Returns the change for a write; none if its kind has no unique properties, so such writes pay nothing extra. */
  #change({ key, document }: Write): Change[] {
    const { catalog, documents, clock } = this.#parts;
    const kind = catalog.newest(key.kind);
    if (kind === undefined || kind.unique.length === 0) return [];
    const row = isGuarded(kind, document) ? documents.find(key.kind, key.id, clock.now()) : undefined;
    return [{ kind, key, before: row && decodeFields(String(row[2])), after: document }];
  }

  #refuseTaken(claim: Claim): void {
    const { catalog, clock } = this.#parts;
    const { key, property, value, writtenIds } = claim;
    const kind = catalog.newest(key.kind);
    if (kind === undefined) return;
    const { ix, properties } = catalog.find(kind, [{ property, direction: "asc" }]);
    const [entry = null] = entryKeys(properties, new Map([[property, [value]]]));
    const rows = this.#holders.all(key.kind, ix, entry, clock.now(), writtenIds.size + 1);
    const other = rows.map(([id]) => String(id)).find((id) => !writtenIds.has(id));
    if (other !== undefined) throw takenError(claim, other);
  }
}
