import type { PendingMessage } from "../../pending-writes.ts";
import { taskBodies } from "../../task.ts";
import type { Connections, Sql } from "../connections.ts";
import { destinationText, isShared } from "../../local/messages/inbox.ts";

/** A row of a message in one of its destination's inboxes. */
interface Copy {
  readonly carrier: string;
  readonly isShared: boolean;
  readonly id: string;
  readonly delay: number;
  readonly body: string;
  readonly traceparent: string | null;
}

/**
 * Stores messages in the current transaction. Queues and jobs have one inbox; topics and events have one for each
 * registered subscriber of any machine.
 */
export async function insertMessages(
  sql: Sql,
  messages: readonly PendingMessage[],
  { nowSql }: Pick<Connections, "nowSql">,
): Promise<void> {
  const copies = messages.flatMap(copiesOf);
  await sql.rows(
    `INSERT INTO @@messages (carrier, receiver, due, attempts, id, sent, body, traceparent)
     SELECT c.carrier, r.receiver, t.now + c.delay, 0, c.id, t.now, c.body, c.traceparent
     FROM unnest($1::text[], $2::boolean[], $3::text[], $4::bigint[], $5::text[], $6::text[])
       WITH ORDINALITY AS c(carrier, shared, id, delay, body, traceparent, n)
     CROSS JOIN (SELECT ${nowSql} AS now OFFSET 0) t
     CROSS JOIN LATERAL (
       SELECT '' AS receiver WHERE c.shared
       UNION ALL SELECT s.receiver FROM @@subscribers s WHERE NOT c.shared AND s.carrier = c.carrier
     ) r
     ORDER BY c.n`,
    [
      copies.map(({ carrier }) => carrier),
      copies.map((copy) => copy.isShared),
      copies.map(({ id }) => id),
      copies.map(({ delay }) => delay),
      copies.map(({ body }) => body),
      copies.map(({ traceparent }) => traceparent),
    ],
  );
}

function copiesOf({ id, destination, message }: PendingMessage): Copy[] {
  const { body, delay = 0, traceparent = null } = message;
  const bodies = destination.kind === "job" ? [...taskBodies(body)] : [body];
  return bodies.map((each, task) => ({
    carrier: destinationText(destination),
    isShared: isShared(destination),
    id: task === 0 ? id : `${id}-${task}`,
    delay: Math.ceil(delay),
    body: each,
    traceparent,
  }));
}
