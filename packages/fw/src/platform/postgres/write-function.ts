import type { Fence, Key } from "../contract.ts";
import type { Notification } from "./changes.ts";
import { listText, type SqlParameter } from "./driver.ts";
import { entryColumns, valueSql, type Entry } from "./entries.ts";
import type { LockCall } from "./locks.ts";

/**
 * `write` commits in one round trip: it takes locks, compares the documents that the caller has read with the current
 * ones, and writes only if none of them has changed. It plans its statements once per connection, which suits tables of
 * any size because each statement reads by key. The `outcome` is one of these:
 *
 * - `written`: everything is written. `version` is the version of the last document.
 * - `stale`: a document has changed.
 * - `registry`: the registry of indexes has another epoch.
 * - `lease`: the lease is lost.
 * - `taken`: the document `id` has the unique value of the claim with the number `version`.
 * - `isolation`: the transaction would not see commits that preceded its locks.
 *
 * `p_versions` are the versions that the caller has read; null for a missing document, or an expired one that is only
 * read. A written document without a body is deleted. `p_proof` is null if nothing is written, or in a transaction that
 * already has its proof. `p_clock` is null if the database's own clock applies, `p_epoch` if no index is involved.
 */
export const writeFunction: string = `
  CREATE OR REPLACE FUNCTION @@write(
    p_proof bigint, p_epoch bigint, p_now bigint, p_clock bigint, p_locks bigint[], p_exclusive boolean[],
    p_lease text, p_lease_token bigint,
    p_kinds text[], p_ids text[], p_versions bigint[], p_written boolean[], p_expires bigint[], p_bodies text[],
    p_claim_kinds text[], p_claim_ixs integer[], p_claim_lows bytea[], p_claim_highs bytea[],
    p_old_ixs integer[], p_old_heads bytea[], p_old_mores bytea[],
    p_ixs integer[], p_heads bytea[], p_mores bytea[], p_rests bytea[], p_entry_ids text[],
    p_channel text, p_changes text,
    p_carriers text[], p_shared boolean[], p_message_ids text[], p_delays bigint[], p_messages text[], p_traceparents text[]
  ) RETURNS TABLE (outcome text, version bigint, id text)
  LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET jit = off AS $write$
  #variable_conflict use_column
  DECLARE
    v_version bigint;
    v_other text;
    v_clock bigint;
    v_locked boolean;
  BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
      outcome := 'isolation'; RETURN NEXT; RETURN;
    END IF;
    FOR i IN 1 .. cardinality(p_locks) LOOP
      -- An assignment of an expression is faster than PERFORM, which runs a query.
      IF p_exclusive[i] THEN v_locked := pg_advisory_xact_lock(p_locks[i]) IS NULL;
      ELSE v_locked := pg_advisory_xact_lock_shared(p_locks[i]) IS NULL;
      END IF;
    END LOOP;
    v_clock := coalesce(p_clock, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
    IF p_epoch <> (SELECT n.value FROM @@numbers n WHERE n.name = 'epoch') THEN
      outcome := 'registry'; RETURN NEXT; RETURN;
    END IF;
    IF p_lease IS NOT NULL THEN
      PERFORM 1 FROM @@leases l WHERE l.name = p_lease AND l.token = p_lease_token AND l.expires > v_clock FOR SHARE;
      IF NOT FOUND THEN outcome := 'lease'; RETURN NEXT; RETURN; END IF;
    END IF;
    FOR i IN 1 .. cardinality(p_kinds) LOOP
      SELECT d.version INTO v_version FROM @@documents d
      WHERE d.kind = p_kinds[i] AND d.id = p_ids[i] AND (p_written[i] OR d.expires IS NULL OR d.expires > p_now);
      IF v_version IS DISTINCT FROM p_versions[i] THEN
        outcome := 'stale'; RETURN NEXT; RETURN;
      END IF;
    END LOOP;
    v_version := NULL;
    FOR i IN 1 .. cardinality(p_claim_ixs) LOOP
      SELECT e.id INTO v_other FROM @@entries e
      WHERE e.ix = p_claim_ixs[i] AND ${valueSql("p_claim_lows[i]", "p_claim_highs[i]")}
        AND (SELECT d.expires IS NULL OR d.expires > p_now FROM @@documents d WHERE d.kind = p_claim_kinds[i] AND d.id = e.id)
        AND NOT EXISTS (
          SELECT FROM unnest(p_kinds, p_ids, p_written) AS k(kind, id, written)
          WHERE k.written AND k.kind = p_claim_kinds[i] AND k.id = e.id
        ) LIMIT 1;
      IF FOUND THEN outcome := 'taken'; id := v_other; version := i; RETURN NEXT; RETURN; END IF;
    END LOOP;
    FOR i IN 1 .. cardinality(p_old_ixs) LOOP
      DELETE FROM @@entries e WHERE e.ix = p_old_ixs[i] AND e.head = p_old_heads[i] AND e.more = p_old_mores[i];
    END LOOP;
    IF cardinality(p_ixs) > 0 THEN
      INSERT INTO @@entries (ix, head, more, rest, id)
      SELECT * FROM unnest(p_ixs, p_heads, p_mores, p_rests, p_entry_ids) ON CONFLICT DO NOTHING;
    END IF;
    FOR i IN 1 .. cardinality(p_kinds) LOOP
      IF p_written[i] AND p_bodies[i] IS NULL THEN
        DELETE FROM @@documents d WHERE d.kind = p_kinds[i] AND d.id = p_ids[i];
      ELSIF p_written[i] AND p_versions[i] IS NOT NULL THEN
        UPDATE @@documents d SET version = nextval('@@versions'), expires = p_expires[i], body = p_bodies[i]
        WHERE d.kind = p_kinds[i] AND d.id = p_ids[i] RETURNING d.version INTO v_version;
      ELSIF p_written[i] THEN
        INSERT INTO @@documents AS d (kind, id, version, expires, body)
        VALUES (p_kinds[i], p_ids[i], nextval('@@versions'), p_expires[i], p_bodies[i])
        RETURNING d.version INTO v_version;
      END IF;
    END LOOP;
    IF cardinality(p_carriers) > 0 THEN
      INSERT INTO @@messages (carrier, receiver, due, attempts, id, sent, body, traceparent)
      SELECT c.carrier, r.receiver, v_clock + c.delay, 0, c.id, v_clock, c.body, c.traceparent
      FROM unnest(p_carriers, p_shared, p_message_ids, p_delays, p_messages, p_traceparents)
        WITH ORDINALITY AS c(carrier, shared, id, delay, body, traceparent, n)
      CROSS JOIN LATERAL (
        SELECT '' AS receiver WHERE c.shared
        UNION ALL SELECT s.receiver FROM @@subscribers s WHERE NOT c.shared AND s.carrier = c.carrier
      ) r
      ORDER BY c.n;
    END IF;
    IF p_channel IS NOT NULL THEN PERFORM pg_notify(p_channel, p_changes); END IF;
    IF p_proof IS NOT NULL THEN
      INSERT INTO @@commits VALUES (p_proof, coalesce(v_version, 0));
    END IF;
    outcome := 'written'; version := v_version; RETURN NEXT;
  END $write$;
`;

/** A message for the shared inbox of its destination if `isShared`, otherwise for the inbox of each subscriber. */
export interface MessageCopy {
  readonly carrier: string;
  readonly isShared: boolean;
  readonly id: string;
  readonly delay: number;
  readonly body: string;
  readonly traceparent: string | null;
}

/** A document that a commit has read or writes, and its new content. */
export interface SeenDocument {
  readonly key: Key;
  /** Null if the document did not exist. */
  readonly version: string | null;
  readonly isWritten: boolean;
  readonly expires?: number | null;
  /** If absent or null, a written document is deleted. */
  readonly body?: string | null;
}

/** The byte range of a unique value's entries in its index. */
export interface ClaimedRange {
  readonly kind: string;
  readonly ix: number;
  readonly low: Buffer;
  readonly high: Buffer | null;
}

export interface WriteCall {
  readonly proofKey?: string | undefined;
  readonly epoch?: string;
  /** The current time in milliseconds since 1970, to detect expired documents. */
  readonly now?: number;
  /** The current time for leases and messages; null if they follow the database's clock. */
  readonly clock: number | null;
  readonly locks?: readonly LockCall[];
  readonly fence?: Fence | undefined;
  readonly documents?: readonly SeenDocument[];
  readonly claims?: readonly ClaimedRange[];
  readonly oldEntries?: readonly Entry[];
  readonly entries?: readonly Entry[];
  readonly notification?: Notification | undefined;
  readonly messages?: readonly MessageCopy[];
}

const parameterCount = 34;

export const writeSql: string = `SELECT * FROM @@write(${Array.from({ length: parameterCount }, (_, i) => `$${i + 1}`).join(", ")})`;

export function writeValues(call: WriteCall): readonly SqlParameter[] {
  const { locks = [], documents = [], claims = [], oldEntries = [], entries = [], messages = [] } = call;
  const [oldIxs, oldHeads, oldMores] = entryColumns(oldEntries);
  const values: readonly SqlParameter[] = [
    call.proofKey ?? null,
    call.epoch ?? null,
    call.now ?? null,
    call.clock,
    listText(locks.map(({ lock }) => lock)),
    listText(locks.map(({ isExclusive }) => isExclusive)),
    call.fence?.name ?? null,
    call.fence?.token ?? null,
    documents.map(({ key }) => key.kind),
    documents.map(({ key }) => key.id),
    documents.map(({ version }) => version),
    listText(documents.map(({ isWritten }) => isWritten)),
    listText(documents.map(({ expires = null }) => expires)),
    documents.map(({ body = null }) => body),
    claims.map(({ kind }) => kind),
    listText(claims.map(({ ix }) => ix)),
    listText(claims.map(({ low }) => low)),
    listText(claims.map(({ high }) => high)),
    oldIxs,
    oldHeads,
    oldMores,
    ...entryColumns(entries),
    call.notification?.channel ?? null,
    call.notification?.payload ?? null,
    messages.map(({ carrier }) => carrier),
    listText(messages.map(({ isShared }) => isShared)),
    messages.map(({ id }) => id),
    listText(messages.map(({ delay }) => delay)),
    messages.map(({ body }) => body),
    messages.map(({ traceparent }) => traceparent),
  ];
  // The driver takes longer to convert an empty list than to pass on its text.
  return values.map((value) => (Array.isArray(value) && value.length === 0 ? "{}" : value));
}
