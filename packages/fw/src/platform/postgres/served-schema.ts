import { createHash, randomUUID } from "node:crypto";
import { readAddress } from "./address.ts";
import { Connections } from "./connections.ts";
import { loadDriver, type SqlRow } from "./driver.ts";
import { sqlState } from "./failures.ts";

/** The columns with a machine's database role and the migration that its build needs. */
export const machineColumns = ["role name NOT NULL DEFAULT current_user", "build text NOT NULL DEFAULT ''"] as const;

/**
 * `served` has the types of the last started version of the application; `machines` has the version that each machine
 * runs.
 */
export const servedTables: string = `
  CREATE TABLE IF NOT EXISTS @@served (name text PRIMARY KEY, schema text NOT NULL);
  CREATE TABLE IF NOT EXISTS @@machines (
    id text PRIMARY KEY, version text NOT NULL, until bigint NOT NULL, ${machineColumns.join(", ")}
  );
`;

const name = "last";

/** Milliseconds for which a machine counts as running after a heartbeat. */
export const aliveMs: number = 30_000;

/** Interval between heartbeats in milliseconds. */
const heartbeatMs = 10_000;

export interface ServedVersions {
  /** The schema of the version that was started last; undefined if none is recorded. */
  readonly last: string | undefined;
  /** True if a machine is running the version with the given schema. */
  readonly isRunning: boolean;
}

/** Reads which versions a database's machines serve. Throws a PlatformError `unreachable` if no server responds. */
export async function readServedVersions(address: string, schema: string | undefined): Promise<ServedVersions> {
  const connections = new Connections(await loadDriver(), { ...readAddress(address), connections: 1 }, undefined);
  const ifTable = async (text: string, values: readonly string[]): Promise<readonly SqlRow[]> => {
    try {
      return await connections.runRepeatable(text, values);
    } catch (error) {
      // The table or the schema is missing. The first start creates it.
      if (/^(?:42P01|3F000)$/.test(sqlState(error) ?? "")) return [];
      throw error;
    }
  };
  try {
    const [row] = await ifTable("SELECT schema FROM @@served WHERE name = $1", [name]);
    const running = await ifTable(runningSql(connections), [versionOf(schema ?? ""), ""]);
    return { last: row && String(row["schema"]), isRunning: running.length > 0 };
  } finally {
    await connections.close();
  }
}

export interface RecordOptions {
  /** True if the machine could start only because another one, which may have stopped since, ran this version. */
  readonly isRestart?: boolean;
  /** Identifies what the build requires of the database. */
  readonly migration?: string;
}

/** Records the version that this machine serves and renews the record with heartbeats. */
export class ServedVersion {
  readonly #connections: Connections;
  readonly #machine = randomUUID();
  #heartbeat: NodeJS.Timeout | undefined;
  #beating: Promise<void> = Promise.resolve();

  constructor(connections: Connections) {
    this.#connections = connections;
  }

  /**
   * Records the version. It becomes the last one started unless `isRestart` is set or another machine already runs it:
   * restarting during an upgrade must not replace the newer version. Only the owner's role records the last one.
   */
  async record(schema: string, { isRestart = false, migration = "" }: RecordOptions = {}): Promise<void> {
    await this.#endHeartbeats();
    const connections = this.#connections;
    const version = versionOf(schema);
    const row = [this.#machine, version, migration];
    // Starts the heartbeats first, because the machine runs the version even if the database is down now.
    const beat = (): void => {
      this.#beating = this.#attempt(beatSql(connections), row);
    };
    this.#heartbeat = setInterval(beat, heartbeatMs).unref();
    await connections.during(() =>
      connections.write("", async (sql) => {
        const running = await sql.rows(runningSql(connections), [version, this.#machine]);
        if (running.length === 0 && !isRestart && connections.isOwner)
          await sql.rows(
            "INSERT INTO @@served VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET schema = excluded.schema",
            [name, schema],
          );
        await sql.rows(`DELETE FROM @@machines WHERE NOT (${aliveSql(connections)})`);
        await sql.rows(beatSql(connections), row);
      }),
    );
  }

  /** Deletes the record, so that other machines no longer rely on this version. Call it before connections close. */
  async close(): Promise<void> {
    if (this.#heartbeat === undefined) return;
    await this.#endHeartbeats();
    await this.#attempt("DELETE FROM @@machines WHERE id = $1", [this.#machine]);
  }

  async #endHeartbeats(): Promise<void> {
    clearInterval(this.#heartbeat);
    await this.#beating;
  }

  /** Runs a statement once, so that stopping does not wait for a database that is down: the heartbeat lapses anyway. */
  #attempt(text: string, values: readonly string[]): Promise<void> {
    return this.#connections.during(() => this.#connections.attempt(text, values)).catch(() => {});
  }
}

function beatSql({ nowSql }: Connections): string {
  return `INSERT INTO @@machines (id, version, until, build) VALUES ($1, $2, ${nowSql} + ${aliveMs}, $3) ON CONFLICT (id)
    DO UPDATE SET version = excluded.version, until = excluded.until, build = excluded.build`;
}

/** Returns the query for a machine, other than `$2`, that runs the version `$1`. */
function runningSql(connections: Connections): string {
  return `SELECT 1 FROM @@machines WHERE version = $1 AND id <> $2 AND ${aliveSql(connections)} LIMIT 1`;
}

/** Returns the condition for current heartbeats. Excludes heartbeats from before the clock was set back. */
export function aliveSql({ nowSql }: Pick<Connections, "nowSql">): string {
  return `until > ${nowSql} AND until <= ${nowSql} + ${aliveMs}`;
}

function versionOf(schema: string): string {
  return createHash("sha256").update(schema).digest("base64url");
}
