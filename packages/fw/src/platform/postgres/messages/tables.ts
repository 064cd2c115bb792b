/**
 * `messages` has a row for each message and inbox. During a delivery, `held` is the claim's number, and `due` is the
 * end of the lease, when another machine may claim the message. `subscribers` are the consumers of topics and events;
 * each gets a copy. `lanes.next_at` is when the inbox's rate limit allows the next delivery.
 */
export const messageTables = `
  CREATE TABLE @@messages (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, carrier text COLLATE "C" NOT NULL, receiver text COLLATE "C" NOT NULL,
    due bigint NOT NULL, attempts integer NOT NULL, held bigint, id text NOT NULL, sent bigint NOT NULL, reason text,
    body text NOT NULL, traceparent text
  );
  CREATE INDEX messages_due ON @@messages (carrier, receiver, due, n);
  CREATE INDEX messages_held ON @@messages (carrier, receiver) WHERE held IS NOT NULL;
  CREATE SEQUENCE @@claims;
  CREATE TABLE @@lanes (
    carrier text COLLATE "C", receiver text COLLATE "C", next_at double precision NOT NULL, PRIMARY KEY (carrier, receiver)
  );
  CREATE TABLE @@subscribers (
    carrier text COLLATE "C", receiver text COLLATE "C", wanted bigint NOT NULL, PRIMARY KEY (carrier, receiver)
  );
  CREATE TABLE @@dead_letters (
    n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, receiver text COLLATE "C" NOT NULL, carrier text NOT NULL,
    id text NOT NULL, sent bigint NOT NULL, died bigint NOT NULL, attempts integer NOT NULL, reason text NOT NULL,
    body text NOT NULL
  );
  CREATE INDEX dead_letters_receiver ON @@dead_letters (receiver, n);
  CREATE INDEX dead_letters_id ON @@dead_letters (receiver, id);
`;

/**
 * `claim` claims due messages from several inboxes in one round trip. It locks the row of each lane, so that
 * concurrency and rate limits hold across machines. For each inbox, it returns the claimed messages. If any message
 * remains, it adds a row without `n` whose `due` is the number of milliseconds until the next poll. Messages of dead
 * machines come first, because they have already waited. `p_now` is null if the database's own clock applies.
 */
export const claimFunction = `
  CREATE OR REPLACE FUNCTION @@claim(
    p_now bigint, p_carriers text[], p_receivers text[], p_most integer[], p_concurrency integer[],
    p_rates double precision[], p_lease bigint, p_all boolean
  ) RETURNS TABLE (
    lane integer, n bigint, held bigint, due bigint, attempts integer, id text, sent bigint, reason text, body text,
    traceparent text
  ) LANGUAGE plpgsql AS $claim$
  #variable_conflict use_column
  DECLARE
    v_now bigint;
    v_next double precision;
    v_from double precision;
    v_wanted integer;
    v_count integer;
    v_token bigint := nextval('@@claims');
  BEGIN
    FOR i IN 1 .. cardinality(p_carriers) LOOP
      v_now := coalesce(p_now, (extract(epoch FROM clock_timestamp()) * 1000)::bigint);
      v_next := 0;
      IF p_most[i] > 0 AND EXISTS (
        SELECT FROM @@messages m WHERE m.carrier = p_carriers[i] AND m.receiver = p_receivers[i] AND (p_all OR m.due <= v_now)
      ) THEN
        INSERT INTO @@lanes VALUES (p_carriers[i], p_receivers[i], 0) ON CONFLICT DO NOTHING;
        SELECT l.next_at INTO v_next FROM @@lanes l
          WHERE l.carrier = p_carriers[i] AND l.receiver = p_receivers[i] FOR UPDATE;
        SELECT least(p_most[i], p_concurrency[i] - count(*)) INTO v_wanted FROM @@messages m
          WHERE m.carrier = p_carriers[i] AND m.receiver = p_receivers[i] AND m.held IS NOT NULL AND m.due > v_now;
        IF p_rates[i] IS NOT NULL AND NOT p_all THEN
          v_from := CASE WHEN v_now - v_next > 50 OR v_next - v_now > 60000 THEN v_now ELSE v_next END;
          v_wanted := least(v_wanted, floor((v_now - v_from) * p_rates[i] / 1000 + 1));
        END IF;
        IF v_wanted > 0 THEN
          RETURN QUERY
            WITH expired AS MATERIALIZED (
              SELECT q.n, q.due, q.reason FROM @@messages q
              WHERE q.carrier = p_carriers[i] AND q.receiver = p_receivers[i] AND q.held IS NOT NULL AND q.due <= v_now
              ORDER BY q.due, q.n LIMIT v_wanted FOR UPDATE SKIP LOCKED
            ), waiting AS MATERIALIZED (
              SELECT q.n, q.due, q.reason FROM @@messages q
              WHERE q.carrier = p_carriers[i] AND q.receiver = p_receivers[i] AND q.held IS NULL
                AND (q.due <= v_now OR p_all)
              ORDER BY q.due, q.n LIMIT v_wanted - (SELECT count(*) FROM expired) FOR UPDATE SKIP LOCKED
            )
            UPDATE @@messages m SET held = v_token, due = v_now + p_lease, attempts = m.attempts + 1, reason = NULL
            FROM (SELECT * FROM expired UNION ALL SELECT * FROM waiting) c
            WHERE m.n = c.n
            RETURNING i, m.n, v_token, c.due, m.attempts, m.id, m.sent, c.reason, m.body, m.traceparent;
          GET DIAGNOSTICS v_count = ROW_COUNT;
          IF p_rates[i] IS NOT NULL AND NOT p_all AND v_count > 0 THEN
            v_next := v_from + v_count * 1000 / p_rates[i];
            UPDATE @@lanes l SET next_at = v_next WHERE l.carrier = p_carriers[i] AND l.receiver = p_receivers[i];
          END IF;
        END IF;
      END IF;
      RETURN QUERY
        SELECT i, NULL::bigint, NULL::bigint, greatest(m.due, ceil(v_next)::bigint) - v_now, NULL::integer, NULL::text,
          NULL::bigint, NULL::text, NULL::text, NULL::text
        FROM @@messages m WHERE m.carrier = p_carriers[i] AND m.receiver = p_receivers[i] ORDER BY m.due, m.n LIMIT 1;
    END LOOP;
  END $claim$;
`;
