import type { ServiceAccess, ServiceRole } from "./service-access.ts";

/** Tables whose rows are divided between services. */
const dividedTables = ["documents", "entries", "objects", "messages", "leases"] as const;

/**
 * Writes the statements that give each service access to its rows and no others. Idempotent: each run sets exactly
 * these grants. Policies do not bind the owner of the tables, who runs the statements.
 */
export function grantsSql(schema: string, roles: readonly ServiceRole[]): string {
  return [
    "-- fw gen sql --grants: run it as the owner of the tables, after fw serve has made them.",
    "-- Give each role a way to sign in, such as: ALTER ROLE ... PASSWORD '...'",
    "BEGIN;",
    `CREATE TABLE IF NOT EXISTS ${tableOf(schema, "service_roles")} (role text PRIMARY KEY, access text NOT NULL);`,
    ...dividedTables.map((table) => `ALTER TABLE ${tableOf(schema, table)} ENABLE ROW LEVEL SECURITY;`),
    ...roles.flatMap(({ service, role, access }) => ["", `-- ${service}`, ...roleSql(schema, role, access)]),
    "",
    "COMMIT;",
    "",
  ].join("\n");
}

function roleSql(schema: string, role: string, access: ServiceAccess): readonly string[] {
  const to = identifier(role);
  const grant = (privileges: string, ...tables: readonly string[]): string =>
    `GRANT ${privileges} ON ${tables.map((table) => tableOf(schema, table)).join(", ")} TO ${to};`;
  /** Gives the role these privileges on the rows that meet a condition; on no rows if the condition names nothing. */
  const divide = (
    table: (typeof dividedTables)[number],
    names: readonly string[],
    condition: string,
    privileges = "SELECT, INSERT, UPDATE, DELETE",
  ): readonly string[] => {
    const name = tableOf(schema, table);
    const drop = `DROP POLICY IF EXISTS ${to} ON ${name};`;
    if (names.length === 0) return [drop];
    const policy = `CREATE POLICY ${to} ON ${name} TO ${to} USING (${condition}) WITH CHECK (${condition});`;
    return [drop, policy, grant(privileges, table)];
  };
  const { kinds, buckets, carriers, leases, accounts } = access;
  const ofKinds = `ix IN (SELECT i.ix FROM ${tableOf(schema, "indexes")} i WHERE i.kind = ANY (${array(kinds)}))`;
  return [
    `DO $do$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${text(role)}) THEN CREATE ROLE ${to} LOGIN; END IF; END $do$;`,
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${identifier(schema)} FROM ${to};`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${identifier(schema)} FROM ${to};`,
    `GRANT USAGE ON SCHEMA ${identifier(schema)} TO ${to};`,
    // Databases may close functions to everyone by default; later versions of fw add some.
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${identifier(schema)} TO ${to};`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${identifier(schema)} GRANT EXECUTE ON FUNCTIONS TO ${to};`,
    grant("SELECT", "numbers", "indexes", "subscribers"),
    grant("SELECT, INSERT", "commits"),
    ...divide("documents", kinds, `kind = ANY (${array(kinds)})`),
    ...divide("entries", kinds, ofKinds),
    ...(kinds.length > 0 ? [`GRANT USAGE ON SEQUENCE ${tableOf(schema, "versions")} TO ${to};`] : []),
    ...divide("objects", buckets, `bucket = ANY (${array(buckets)})`),
    ...(buckets.length > 0 ? [grant("SELECT, INSERT, DELETE", "object_files")] : []),
    ...divide("messages", carriers, `carrier = ANY (${array(carriers)})`, "INSERT"),
    ...divide("leases", leases, `split_part(name, ' ', 1) = ANY (${array(leases)})`, "SELECT, INSERT, UPDATE"),
    ...(accounts === "none"
      ? []
      : [grant(accounts === "read" ? "SELECT" : "SELECT, INSERT, UPDATE, DELETE", "accounts")]),
    `INSERT INTO ${tableOf(schema, "service_roles")} VALUES (${text(role)}, ${text(JSON.stringify(access))})
  ON CONFLICT (role) DO UPDATE SET access = excluded.access;`,
  ];
}

function tableOf(schema: string, table: string): string {
  return `${identifier(schema)}.${table}`;
}

function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function array(names: readonly string[]): string {
  return `ARRAY[${names.map(text).join(", ")}]::text[]`;
}
