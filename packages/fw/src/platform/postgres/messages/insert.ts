import type { PendingMessage } from "../../pending-writes.ts";
import { taskBodies } from "../../task.ts";
import type { Connections, Sql } from "../connections.ts";
import type { SqlRow } from "../driver.ts";
import { destinationText, isShared } from "../../local/messages/inbox.ts";
import { writeSql, writeValues, type MessageCopy } from "../write-function.ts";

export async function insertMessages(
  sql: Sql,
  messages: readonly PendingMessage[],
  { now }: Pick<Connections, "now">,
): Promise<void> {
  const outcome = outcomeIn(await sql.rows(writeSql, writeValues({ clock: now, messages: copiesOf(messages) })));
  if (outcome !== "written") throw new Error(`the database wrote no messages: ${String(outcome)}`);
}

/** Stores messages in a separate transaction. */
export async function commitMessages(connections: Connections, messages: readonly PendingMessage[]): Promise<void> {
  const copies = copiesOf(messages);
  const result = await connections.single((proofKey) => ({
    text: writeSql,
    values: writeValues({ proofKey, clock: connections.now, messages: copies }),
  }));
  if ("token" in result || outcomeIn(result.rows) === "written") return;
  // `write` refuses the database's default isolation level, so this transaction sets its own.
  await connections.write("", (sql) => insertMessages(sql, messages, connections));
}

function outcomeIn([row]: readonly SqlRow[]): unknown {
  return row?.["outcome"];
}

/** Returns one copy per message or task. The database stores it for each registered subscriber of a topic or event. */
export function copiesOf(messages: readonly PendingMessage[]): readonly MessageCopy[] {
  return messages.flatMap(copiesOfMessage);
}

function copiesOfMessage({ id, destination, message }: PendingMessage): MessageCopy[] {
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
