import type { Inbox } from "../../local/messages/inbox.ts";
import type { Connections } from "../connections.ts";

/**
 * Milliseconds after which an unused subscriber is removed. Exceeds the time that old and new machines run side by side
 * during an upgrade.
 */
export const unusedSubscriberMs: number = 60 * 60_000;

/**
 * Registers this process's subscribers, so that messages from every machine reach them. Without the owner's role, only
 * marks registered subscribers as used.
 */
export async function keepSubscribers(connections: Connections, inboxes: readonly Inbox[]): Promise<void> {
  const own = inboxes.filter(({ consumer }) => consumer !== "");
  const { nowSql } = connections;
  if (!connections.isOwner) {
    const columns = [own.map(({ destination }) => destination), own.map(({ consumer }) => consumer)];
    await connections.runRepeatable("SELECT @@keep('{}', $1, $2)", columns);
    return;
  }
  await connections.write("", async (sql) => {
    await sql.rows(
      `INSERT INTO @@subscribers SELECT carrier, receiver, ${nowSql} FROM unnest($1::text[], $2::text[]) AS s(carrier, receiver)
       ORDER BY 1, 2 ON CONFLICT (carrier, receiver) DO UPDATE SET wanted = excluded.wanted`,
      [own.map(({ destination }) => destination), own.map(({ consumer }) => consumer)],
    );
    await sql.rows(`DELETE FROM @@subscribers WHERE wanted < ${nowSql} - ${unusedSubscriberMs}`);
  });
}
