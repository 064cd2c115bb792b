import type { DatabaseAddress } from "./address.ts";
import { readAddress } from "./address.ts";
import { Connections } from "./connections.ts";
import { loadDriver } from "./driver.ts";
import { sqlState } from "./failures.ts";

/** The types of the version of the application that a machine has started last. */
export const servedTable = `CREATE TABLE IF NOT EXISTS @@served (name text PRIMARY KEY, schema text NOT NULL);`;

const name = "last";

/**
 * Returns undefined if no machine has recorded a version. Throws a PlatformError `unreachable` if no server responds.
 */
export async function readServedSchema(address: string): Promise<string | undefined> {
  const connections = new Connections(await loadDriver(), singleConnection(readAddress(address)), undefined);
  try {
    const [row] = await connections.read("SELECT schema FROM @@served WHERE name = $1", [name]);
    return row && String(row["schema"]);
  } catch (error) {
    // The table, or the schema with all tables, is made by the start.
    if (/^(?:42P01|3F000)$/.test(sqlState(error) ?? "")) return undefined;
    throw error;
  } finally {
    await connections.close();
  }
}

export async function recordServedSchema(connections: Connections, schema: string): Promise<void> {
  await connections.during(() =>
    connections.write("", async (sql) => {
      await sql.rows("INSERT INTO @@served VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET schema = excluded.schema", [
        name,
        schema,
      ]);
    }),
  );
}

function singleConnection(address: DatabaseAddress): DatabaseAddress {
  return { ...address, connections: 1 };
}
