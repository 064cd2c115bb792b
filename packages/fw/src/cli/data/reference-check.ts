import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { counted } from "../../lib/counted.ts";
import { storedId, tenantProperty } from "../../lib/tenant-fields.ts";
import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import type { Entity, EntityRef } from "../../model/entity.ts";
import type { TypeCheck } from "../../platform/local/check/types.ts";
import { openDatabase, prepareAll, type Database } from "../../platform/local/sqlite.ts";
import type { Fields } from "../../platform/values.ts";

/** A `Ref` field and the entities on both sides. */
interface ReferenceField {
  readonly from: Entity;
  readonly to: Entity;
  readonly ref: EntityRef;
}

/** References of one field to documents that do not exist. */
interface Orphans {
  readonly field: ReferenceField;
  readonly count: number;
  /** Examples: the id of a document, and the value of its field. */
  readonly examples: readonly (readonly [id: string, to: string])[];
}

/** The result of a check. Orphans are problems if their field has an `onDelete` rule, otherwise notes. */
export interface ReferenceReport {
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

const namedOrphans = 3;

/** The size of SQLite's cache, in KiB. */
const cacheKiB = 16_384;

/** Calls `work` with a check that must read every document once, then deletes the check's file. */
export async function withReferenceCheck<T>(app: App, work: (check: ReferenceCheck) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), "fw-references-"));
  const database = openDatabase(join(directory, "ids"));
  try {
    return await work(new ReferenceCheck(app, database));
  } finally {
    database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/**
 * Finds documents whose `Ref` fields name missing documents, in a single pass over all documents. Stores ids and
 * references in a temporary database, because millions would not fit into memory.
 */
export class ReferenceCheck {
  readonly #fields: readonly ReferenceField[];
  readonly #referred: ReadonlySet<string>;
  readonly #database: Database;
  readonly #statements;

  constructor({ packages }: App, database: Database) {
    const entities = new Map(allOfKind(packages, "entity").map((entity) => [entity.name, entity]));
    this.#fields = [...entities.values()].flatMap((from) =>
      (from.refs ?? []).flatMap((ref) => {
        const to = entities.get(ref.entity);
        return to === undefined ? [] : [{ from, to, ref }];
      }),
    );
    this.#referred = new Set(this.#fields.map(({ to }) => to.name));
    this.#database = database;
    database.exec(
      `PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${cacheKiB};
       CREATE TABLE ids (kind TEXT, id TEXT, PRIMARY KEY (kind, id)) WITHOUT ROWID;
       CREATE TABLE refs (n INTEGER PRIMARY KEY, field INTEGER, id TEXT, value TEXT, kind TEXT, target TEXT);
       BEGIN`,
    );
    this.#statements = prepareAll(database, {
      addId: "INSERT OR IGNORE INTO ids VALUES (?, ?)",
      addReference: "INSERT INTO refs (field, id, value, kind, target) VALUES (?, ?, ?, ?, ?)",
    });
  }

  /** Returns a type check that also records each document's id and references. */
  around(types: TypeCheck): TypeCheck {
    return {
      ...types,
      document: (kind, id, fields) => {
        this.read(kind, id, fields);
        return types.document(kind, id, fields);
      },
    };
  }

  /** Describes the orphans. Call it once, after the last document. */
  report(): ReferenceReport {
    this.#database.exec("COMMIT");
    const orphans = this.#orphans();
    return {
      problems: orphans.filter(isRuled).map(describeOrphans),
      notes: orphans.filter((each) => !isRuled(each)).map(describeOrphans),
    };
  }

  read(kind: string, id: string, fields: Fields): void {
    if (this.#referred.has(kind)) this.#statements.addId.run(kind, id);
    for (const [index, { from, to, ref }] of this.#fields.entries()) {
      if (from.name !== kind) continue;
      const tenant = to.tenant === undefined ? undefined : fields[tenantProperty];
      for (const value of [fields[ref.field]].flat())
        if (typeof value === "string")
          this.#statements.addReference.run(index, id, value, to.name, storedId(tenant, value));
    }
  }

  /** Returns the fields with orphans, ordered by the first orphan of each. */
  #orphans(): readonly Orphans[] {
    const isOrphan = "NOT EXISTS (SELECT 1 FROM ids WHERE ids.kind = refs.kind AND ids.id = refs.target)";
    const fields = this.#database.prepare(
      `SELECT field, count(*), min(n) FROM refs WHERE ${isOrphan} GROUP BY field ORDER BY min(n)`,
    );
    const examples = this.#database.prepare(
      `SELECT id, value FROM refs WHERE field = ? AND n >= ? AND ${isOrphan} ORDER BY n LIMIT ${namedOrphans}`,
    );
    return fields.all().flatMap(([index = null, count, first = null]) => {
      const field = this.#fields[Number(index)];
      const named = examples.all(index, first).map(([id, value]) => [String(id), String(value)] as const);
      return field === undefined ? [] : [{ field, count: Number(count), examples: named }];
    });
  }
}

function isRuled({ field }: Orphans): boolean {
  return field.ref.onDelete !== undefined;
}

function describeOrphans({ field: { from, ref }, count, examples }: Orphans): string {
  const named = examples.map(([id, to]) => `${JSON.stringify(id)} to ${JSON.stringify(to)}`);
  const rest = count - named.length;
  const all = [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
  return `${counted(count, "reference")} in "${ref.field}" of "${from.name}" to documents that do not exist in "${ref.entity}": ${all}; delete the referring documents, or change the ids in the field`;
}
