import { aliveMs } from "./served-schema.ts";
import { firstKey, proofMs } from "./commit-proof.ts";
import { machineKeyMs } from "../machine-keys.ts";
import { unusedSubscriberMs } from "./messages/subscribers.ts";

/** The maximum number of keys that a role may have published. A machine has one, and briefly a second one each day. */
const publishedKeys = 1_000;

/** The current time in milliseconds. Machines that follow another clock own the tables and need no functions. */
const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/**
 * The options that run a function as the owner of the tables. Callers cannot replace anything that the function uses.
 */
const asOwner = "SECURITY DEFINER SET search_path = pg_catalog, pg_temp";

/**
 * Functions for servers without the owner's role, on tables that all servers share:
 *
 * - `outcome` returns the token of a proof whose key the caller knows. No role can list other roles' keys.
 * - `publish_key` publishes a machine's key, always with the calls that the owner has granted to its role;
 *   `withdraw_key` deletes a key of the same role.
 * - `keep` prevents indexes and subscribers from being deleted as unused, and deletes rows that have expired according
 *   to the database's clock. It cannot add indexes or subscribers, or delete any that a machine uses.
 * - `delete_proofs` deletes old proofs. Each call records its transaction, and the next call deletes proofs of earlier
 *   transactions.
 */
export const serverFunctions: string = `
  CREATE OR REPLACE FUNCTION @@outcome(p_key bigint) RETURNS SETOF bigint LANGUAGE sql STABLE ${asOwner} AS $outcome$
    SELECT c.token FROM @@commits c WHERE c.xid = p_key
  $outcome$;

  CREATE OR REPLACE FUNCTION @@publish_key(p_id text, p_key text) RETURNS void LANGUAGE plpgsql ${asOwner} AS $publish$
  DECLARE
    v_calls text;
  BEGIN
    SELECT json_build_object(r.access::json ->> 'server', r.access::json -> 'callees')::text INTO v_calls
    FROM @@service_roles r WHERE r.role = session_user AND r.access::json ->> 'server' IS NOT NULL;
    IF v_calls IS NULL OR length(p_id) > 100 OR length(p_key) > 1000
      OR (SELECT count(*) FROM @@machine_keys k WHERE k.role = session_user) >= ${publishedKeys} THEN
      RAISE insufficient_privilege USING MESSAGE = 'this role cannot publish the key';
    END IF;
    INSERT INTO @@machine_keys AS k (id, key, calls, until, role)
    VALUES (p_id, p_key, v_calls, ${now} + ${machineKeyMs}, session_user)
    ON CONFLICT (id) DO UPDATE SET calls = excluded.calls, until = excluded.until
    WHERE k.role = excluded.role AND k.key = excluded.key;
    IF NOT FOUND THEN RAISE insufficient_privilege USING MESSAGE = 'the key has another owner'; END IF;
  END $publish$;

  CREATE OR REPLACE FUNCTION @@withdraw_key(p_id text) RETURNS void LANGUAGE sql ${asOwner} AS $withdraw$
    DELETE FROM @@machine_keys k WHERE k.id = p_id AND k.role = session_user
  $withdraw$;

  CREATE OR REPLACE FUNCTION @@keep(p_identities text[], p_carriers text[], p_receivers text[])
  RETURNS void LANGUAGE plpgsql ${asOwner} AS $keep$
  BEGIN
    UPDATE @@indexes i SET wanted = ${now} WHERE i.state < 2 AND i.identity = ANY (p_identities);
    UPDATE @@subscribers s SET wanted = ${now} FROM unnest(p_carriers, p_receivers) AS k(carrier, receiver)
    WHERE s.carrier = k.carrier AND s.receiver = k.receiver;
    DELETE FROM @@subscribers s WHERE s.wanted < ${now} - ${unusedSubscriberMs};
    DELETE FROM @@machine_keys k WHERE k.until < ${now};
    DELETE FROM @@machines m WHERE m.until NOT BETWEEN ${now} AND ${now} + ${aliveMs};
  END $keep$;

  CREATE OR REPLACE FUNCTION @@delete_proofs() RETURNS void LANGUAGE plpgsql ${asOwner} AS $delete$
  BEGIN
    INSERT INTO @@numbers AS n VALUES ('proofs noted', ${now}) ON CONFLICT (name)
    DO UPDATE SET value = excluded.value WHERE n.value < excluded.value - ${proofMs};
    IF NOT FOUND THEN RETURN; END IF;
    -- Rows with a client's key in \`xid\` have the id of their transaction only in the row header (\`xmin\`).
    DELETE FROM @@commits c USING @@numbers n WHERE n.name = 'proofs from' AND (c.xid < n.value
      OR c.xid >= ${firstKey} AND age(c.xmin) > pg_current_xact_id()::text::bigint - n.value);
    INSERT INTO @@numbers VALUES ('proofs from', pg_current_xact_id()::text::bigint) ON CONFLICT (name)
    DO UPDATE SET value = excluded.value;
  END $delete$;
`;
