import { hash } from "node:crypto";
import { listText, type SqlParameter, type SqlRow } from "./driver.ts";
import { entryColumns, valueSql, type Entry } from "./entries.ts";
import { uncertainMs } from "./uniques.ts";
import type { WriteCall } from "./write-function.ts";

/**
 * A document's `mark` identifies its entries in the indexes of one epoch. It is valid only for the version in `marked`:
 * earlier versions of fw, and commits of several documents, write new versions without a mark.
 */
export const markColumns = ["mark uuid", "marked bigint"] as const;

/**
 * `put` commits one document in one round trip like `write`. If the caller has not seen the current document (`p_seen`
 * is false), writes only a new document or one whose mark shows that its entries stay the same. Returns text, because a
 * row with several columns takes longer:
 *
 * - `written <version>`, or `deleted`
 * - `stale <version> <expires> <body>`, or only `stale` for a missing document: the caller must prepare the commit for
 *   this state of the document.
 * - `registry`: the registry of indexes has another epoch.
 * - `taken <n> <id>`: the document `id` has the unique value of claim `n`.
 * - `isolation`: the transaction would not see commits that preceded its locks.
 *
 * Connections with `sessionSettings` call `put`. Others call `put_planned`, which has its own settings; applying them
 * takes almost as long as writing a document. Lists of entries are passed as text and parsed only if needed.
 */
export const putFunctions: string = [
  functionSql("put", ""),
  functionSql("put_planned", "SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off"),
].join("");

function functionSql(name: string, settings: string): string {
  return `
  CREATE OR REPLACE FUNCTION @@${name}(
    p_proof bigint, p_epoch bigint, p_now bigint, p_locks bigint[], p_exclusive boolean[],
    p_kind text, p_id text, p_seen boolean, p_version bigint, p_present boolean,
    p_mark uuid, p_expires bigint, p_body text,
    p_claim_ixs text, p_claim_lows text, p_claim_highs text,
    p_old_ixs text, p_old_heads text, p_old_mores text,
    p_ixs text, p_heads text, p_mores text, p_rests text,
    p_channel text, p_changes text
  ) RETURNS text LANGUAGE plpgsql ${settings} AS $put$
  #variable_conflict use_column
  DECLARE
    v_epoch bigint;
    v_row @@documents;
    v_version bigint;
    v_each record;
    v_other text;
    v_locked boolean;
    v_is_written boolean := false;
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN RETURN 'isolation'; END IF;
    FOR i IN 1 .. cardinality(p_locks) LOOP
      -- An assignment of an expression is faster than PERFORM, which runs a query.
      IF p_exclusive[i] THEN v_locked := pg_advisory_xact_lock(p_locks[i]) IS NULL;
      ELSE v_locked := pg_advisory_xact_lock_shared(p_locks[i]) IS NULL;
      END IF;
    END LOOP;
    v_version := nextval('@@versions');
    IF p_body IS NOT NULL AND NOT p_seen THEN
      -- Most documents: one statement reads and writes.
      UPDATE @@documents d
      SET version = v_version, expires = p_expires, body = p_body, marked = v_version
      WHERE d.kind = p_kind AND d.id = p_id AND d.mark = p_mark AND d.marked = d.version
        AND (d.expires IS NULL OR d.expires > p_now + ${uncertainMs}) AND (p_version IS NULL OR d.version = p_version)
        AND p_epoch = (SELECT n.value FROM @@numbers n WHERE n.name = 'epoch');
      v_is_written := FOUND;
    END IF;
    IF NOT v_is_written THEN
      SELECT n.value INTO v_epoch FROM @@numbers n WHERE n.name = 'epoch';
      IF v_epoch <> p_epoch THEN RETURN 'registry'; END IF;
      SELECT * INTO v_row FROM @@documents d WHERE d.kind = p_kind AND d.id = p_id;
      IF (CASE WHEN p_seen THEN v_row.version IS DISTINCT FROM p_version ELSE p_present OR v_row.version IS NOT NULL END) THEN
        RETURN CASE WHEN v_row.version IS NULL THEN 'stale'
          ELSE concat('stale ', v_row.version, ' ', v_row.expires, ' ', v_row.body) END;
      END IF;
      IF p_claim_ixs <> '{}' THEN
        FOR v_each IN SELECT c.* FROM unnest(p_claim_ixs::integer[], p_claim_lows::bytea[], p_claim_highs::bytea[])
          WITH ORDINALITY AS c(ix, low, high, n) LOOP
          SELECT e.id INTO v_other FROM @@entries e
          WHERE e.ix = v_each.ix AND ${valueSql("v_each.low", "v_each.high")} AND e.id <> p_id
            AND (SELECT d.expires IS NULL OR d.expires > p_now FROM @@documents d WHERE d.kind = p_kind AND d.id = e.id)
            LIMIT 1;
          IF FOUND THEN RETURN concat('taken ', v_each.n, ' ', v_other); END IF;
        END LOOP;
      END IF;
      IF p_old_ixs <> '{}' THEN
        FOR v_each IN SELECT o.* FROM unnest(p_old_ixs::integer[], p_old_heads::bytea[], p_old_mores::bytea[]) AS o(ix, head, more) LOOP
          DELETE FROM @@entries e WHERE e.ix = v_each.ix AND e.head = v_each.head AND e.more = v_each.more;
        END LOOP;
      END IF;
      IF p_ixs <> '{}' THEN
        INSERT INTO @@entries (ix, head, more, rest, id)
        SELECT e.ix, e.head, e.more, e.rest, p_id
        FROM unnest(p_ixs::integer[], p_heads::bytea[], p_mores::bytea[], p_rests::bytea[]) AS e(ix, head, more, rest)
        ON CONFLICT DO NOTHING;
      END IF;
      IF p_body IS NULL THEN
        DELETE FROM @@documents d WHERE d.kind = p_kind AND d.id = p_id;
        v_version := NULL;
      ELSIF v_row.version IS NULL THEN
        INSERT INTO @@documents (kind, id, version, expires, body, mark, marked)
        VALUES (p_kind, p_id, v_version, p_expires, p_body, p_mark, v_version);
      ELSE
        UPDATE @@documents d
        SET version = v_version, expires = p_expires, body = p_body, mark = p_mark, marked = v_version
        WHERE d.kind = p_kind AND d.id = p_id;
      END IF;
    END IF;
    IF p_channel IS NOT NULL THEN PERFORM pg_notify(p_channel, p_changes); END IF;
    IF p_proof IS NOT NULL THEN
      INSERT INTO @@commits VALUES (p_proof, coalesce(v_version, 0));
    END IF;
    RETURN coalesce('written ' || v_version, 'deleted');
  END $put$;
`;
}

const parameterList = Array.from({ length: 25 }, (_, i) => `$${i + 1}`).join(", ");

/** The statement for connections with `sessionSettings`. */
export const putSql: string = `SELECT @@put(${parameterList}) AS result`;

/** The statement for connections without `sessionSettings`. */
export const plannedPutSql: string = `SELECT @@put_planned(${parameterList}) AS result`;

export interface PutCall extends Pick<
  WriteCall,
  "proofKey" | "epoch" | "now" | "locks" | "claims" | "oldEntries" | "entries" | "notification"
> {
  /** The document to write. Its version is the one seen if `isSeen`, otherwise the expected one, if any. */
  readonly document: NonNullable<WriteCall["documents"]>[number];
  readonly isSeen: boolean;
  /** True if the write requires the document to exist. */
  readonly isPresent: boolean;
  readonly mark: string;
}

export function putValues(call: PutCall): readonly SqlParameter[] {
  const { document, locks = [], claims = [], oldEntries = [], entries = [] } = call;
  const [oldIxs, oldHeads, oldMores] = entryColumns(oldEntries);
  const [ixs, heads, mores, rests] = entryColumns(entries);
  return [
    call.proofKey ?? null,
    call.epoch ?? null,
    call.now ?? null,
    listText(locks.map(({ lock }) => lock)),
    listText(locks.map(({ isExclusive }) => isExclusive)),
    document.key.kind,
    document.key.id,
    call.isSeen,
    document.version,
    call.isPresent,
    call.mark,
    document.expires ?? null,
    document.body ?? null,
    listText(claims.map(({ ix }) => ix)),
    listText(claims.map(({ low }) => low)),
    listText(claims.map(({ high }) => high)),
    oldIxs,
    oldHeads,
    oldMores,
    ixs,
    heads,
    mores,
    rests,
    call.notification?.channel ?? null,
    call.notification?.payload ?? null,
  ];
}

export interface PutResult {
  readonly outcome: string;
  /** The written version; null if the document was deleted. */
  readonly version: string | null;
  /** The row of a stale document; undefined if it does not exist. */
  readonly row: SqlRow | undefined;
  /** The document that has the unique value of a claim, if the outcome is `taken`. */
  readonly holder: { readonly claim: number; readonly id: string };
}

export function putResult(rows: readonly SqlRow[]): PutResult {
  const text = String(rows[0]?.["result"]);
  const [, outcome = "", number = null, rest = ""] = /^(\w+)(?: (\d+))?(?: (.*))?$/s.exec(text) ?? [];
  const [, expires = "", body = ""] = (outcome === "stale" && /^(-?\d*) (.*)$/s.exec(rest)) || [];
  const row = outcome !== "stale" || number === null ? undefined : { version: number, expires: expires || null, body };
  return { outcome, version: number, row, holder: { claim: Number(number), id: rest } };
}

/**
 * Identifies entries in the indexes of an epoch by the first 128 bits of a SHA-256, in a form that PostgreSQL accepts
 * as a `uuid`.
 */
export function markOf(epoch: string, entries: readonly Entry[]): string {
  const parts = entries.flatMap(({ ix, place }) => [Buffer.from(`${ix} ${place.length} `), place]);
  return hash("sha256", Buffer.concat([Buffer.from(`${epoch} `), ...parts])).slice(0, 32);
}
