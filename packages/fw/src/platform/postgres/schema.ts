import { PlatformError } from "../errors.ts";
import { proofTables } from "./commit-proof.ts";
import type { Connections } from "./connections.ts";
import type { Sql, SqlRow } from "./driver.ts";
import { changeTables, type ChangeOptions } from "./changed-tables.ts";
import { sqlState } from "./failures.ts";
import { Locks } from "./locks.ts";
import { accountTables } from "./accounts.ts";
import { machineKeyTables, publisherColumn } from "./machine-keys.ts";
import { roleTables } from "./role-tables.ts";
import { serverFunctions } from "./server-functions.ts";
import { claimFunction, messageTables } from "./messages/tables.ts";
import { objectTables, uploadColumn } from "./objects/rows.ts";
import { machineColumns, servedTables } from "./served-schema.ts";
import { markColumns, putFunctions } from "./put-function.ts";
import { writeFunction } from "./write-function.ts";

/** The oldest supported version of PostgreSQL. */
const oldestServer = 140_000;

/** The version of the schema, incremented when older versions of fw can no longer use it. */
const schemaVersion = 1;

/** The revision of the schema, incremented for each change that is compatible with earlier versions of fw. */
export const revision = 10;

/** The column with the document id that an index's fill has reached. */
const filledToColumn = `filled_to text COLLATE "C" NOT NULL DEFAULT ''`;

/**
 * `entries` has one row for each index and document, or several if a property is an array. An entry's place is its
 * encoded values and its id; places sort in the order of the index. `head` has the first bytes of the place, `rest` the
 * others, and `more` a hash of `rest`, which keeps the primary key short. `indexes.state` is 0 while an index is being
 * filled, 1 when it has every document, 2 while it is being deleted. `numbers.epoch` changes with the registry of
 * indexes.
 */
const documentTables = `
  CREATE TABLE @@documents (
    kind text COLLATE "C" NOT NULL, id text COLLATE "C" NOT NULL, version bigint NOT NULL, expires bigint, body text NOT NULL,
    ${markColumns.join(", ")}, PRIMARY KEY (kind, id)
  );
  CREATE INDEX documents_expires ON @@documents (expires) WHERE expires IS NOT NULL;
  CREATE SEQUENCE @@versions;
  CREATE TABLE @@indexes (
    ix integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, kind text NOT NULL, identity text NOT NULL, state smallint NOT NULL,
    guarded boolean NOT NULL, wanted bigint NOT NULL, ${filledToColumn}
  );
  CREATE TABLE @@entries (
    ix integer NOT NULL, head bytea NOT NULL, more bytea NOT NULL, rest bytea NOT NULL, id text COLLATE "C" NOT NULL,
    PRIMARY KEY (ix, head, more)
  );
  CREATE TABLE @@leases (name text COLLATE "C" PRIMARY KEY, token bigint NOT NULL, expires bigint NOT NULL);
  CREATE TABLE @@numbers (name text PRIMARY KEY, value bigint NOT NULL);
  CREATE TABLE @@secrets (name text PRIMARY KEY, value bytea NOT NULL);
  INSERT INTO @@numbers VALUES ('epoch', 1), ('schema', ${schemaVersion}), ('revision', ${revision});
`;

/** True if the tables exist. Reads the catalog like a table, because a connection's cached view of it may be stale. */
const presentSql = `EXISTS (
  SELECT FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = 'numbers')`;

/**
 * Creates missing tables, or updates tables of an earlier fw. Throws a PlatformError `data` if only a later fw can use
 * them, if the role may not change them, or if the server is too old.
 */
export async function migrate(connections: Connections, options: ChangeOptions): Promise<void> {
  const { schema, displayName } = connections.address;
  const [row] = await connections.runRepeatable(
    `SELECT current_setting('server_version_num')::int AS server, ${presentSql} AS present`,
    [schema],
  );
  if (Number(row?.["server"]) < oldestServer)
    throw new PlatformError("data", `the database ${displayName} is older than PostgreSQL 14, which fw needs`);
  if (row?.["present"] !== true) await makeTables(connections);
  const [version] = await connections.runRepeatable(`SELECT
    (SELECT value FROM @@numbers WHERE name = 'schema') AS tables,
    (SELECT value FROM @@numbers WHERE name = 'revision') AS revision, has_table_privilege('@@numbers', 'UPDATE') AS writes`);
  if (version?.["writes"] !== true)
    throw new PlatformError(
      "data",
      `the role of ${displayName} does not own the tables: use the role that does, or run the server that it belongs to with --service or --front`,
    );
  if (isLaterSchema(version?.["tables"]))
    throw new PlatformError(
      "data",
      `the schema ${schema} in ${displayName} was made by a later version of fw; install that version`,
    );
  if (Number(version?.["revision"] ?? 1) < revision) await revise(connections, options);
}

/** True for tables that only a later version of fw can use. */
export function isLaterSchema(tables: SqlRow[string] | undefined): boolean {
  return Number(tables) > schemaVersion;
}

/** Columns that may be missing from the schema of an earlier fw. */
const laterColumns = [
  ...markColumns.map((definition) => ({ table: "documents", definition })),
  { table: "indexes", definition: filledToColumn },
  { table: "object_files", definition: uploadColumn },
  { table: "machine_keys", definition: publisherColumn },
  ...machineColumns.map((definition) => ({ table: "machines", definition })),
];

/** Replaces an earlier fw's functions, and adds missing tables and columns. Machines with that fw keep working. */
function revise(connections: Connections, options: ChangeOptions): Promise<void> {
  return changeTables(connections, options, async (sql) => {
    const [row] = await sql.rows("SELECT value FROM @@numbers WHERE name = 'revision'", []);
    if (Number(row?.["value"] ?? 1) >= revision) return;
    await sql.rows(claimFunction);
    await sql.rows(writeFunction);
    await sql.rows(`${servedTables}${machineKeyTables}${roleTables}`);
    await addColumns(sql, connections.address.schema);
    await sql.rows(`${putFunctions}${serverFunctions}`);
    await sql.rows(
      `INSERT INTO @@numbers VALUES ('revision', ${revision}) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value`,
    );
  });
}

/** Adds missing columns. Does not touch tables that have all of them. */
async function addColumns(sql: Sql, schema: string): Promise<void> {
  const rows = await sql.rows(
    `SELECT table_name AS table, column_name AS column FROM information_schema.columns WHERE table_schema = $1`,
    [schema],
  );
  const existing = new Set(rows.map(({ table, column }) => `${String(table)} ${String(column)}`));
  const missing = laterColumns.filter(({ table, definition }) => !existing.has(`${table} ${definition.split(" ")[0]}`));
  for (const { table, definition } of missing) await sql.rows(`ALTER TABLE @@${table} ADD COLUMN ${definition}`);
}

async function makeTables(connections: Connections): Promise<void> {
  const { schema, displayName } = connections.address;
  const tables = [
    documentTables,
    proofTables,
    accountTables,
    messageTables,
    objectTables,
    servedTables,
    machineKeyTables,
    roleTables,
  ].join("");
  try {
    await connections.script(new Locks(schema).exclusive("schema").sql, async (sql) => {
      const [row] = await sql.rows(`SELECT ${presentSql} AS present`, [schema]);
      if (row?.["present"] === true) return;
      await sql.rows(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
      await sql.rows(`${tables}${claimFunction}${writeFunction}${putFunctions}${serverFunctions}`);
    });
  } catch (error) {
    if (sqlState(error) !== "42501") throw error;
    throw new PlatformError(
      "data",
      `the role may not create the schema ${schema} in ${displayName}: GRANT CREATE ON DATABASE, or create it and make the role its owner`,
    );
  }
}
