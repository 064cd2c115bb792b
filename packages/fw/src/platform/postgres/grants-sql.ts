import { misfitMark } from "../local/messages/inbox.ts";
import { copyMarkKind } from "../transfer/copy-mark.ts";
import { uploadColumn } from "./objects/rows.ts";
import { roleTables } from "./role-tables.ts";
import type { ServerRole } from "./server-access.ts";
import { tickKind } from "../tick-kind.ts";
import type { ServiceAccess, ServiceRole } from "./service-access.ts";

/** Tables whose rows are divided among services. */
const dividedTables = ["documents", "entries", "objects", "object_files", "messages", "leases"] as const;

/** Tables whose rows are divided among servers; services have no access to them. */
const serverTables = ["dead_letters", "lanes", "machines", "secrets", "service_roles"] as const;

type DividedTable = (typeof dividedTables)[number] | (typeof serverTables)[number];

/**
 * Generates the statements that give each service access to its own rows and no others. Idempotent: each run sets
 * exactly these grants. Policies do not apply to the owner of the tables, who runs the statements.
 */
export function grantsSql(schema: string, roles: readonly ServiceRole[]): string {
  return [
    "-- fw gen sql --grants: run it as the owner of the tables, after fw serve has created them.",
    "-- Give each role a way to sign in, such as: ALTER ROLE ... PASSWORD '...'",
    "BEGIN;",
    // Databases of earlier versions of fw lack these tables and the column.
    roleTables.replaceAll("@@", `${identifier(schema)}.`).trim(),
    `ALTER TABLE ${tableOf(schema, "object_files")} ADD COLUMN IF NOT EXISTS ${uploadColumn};`,
    ...divideSql(schema, dividedTables),
    ...roles.flatMap(({ service, role, access }) => ["", `-- ${service}`, ...serviceRoleSql(schema, role, access)]),
    "",
    "COMMIT;",
    "",
  ].join("\n");
}

/** Returns a statement that creates a role without access to anything, unless it exists. */
export function createRoleSql(role: string): string {
  const [name, to] = [text(role), identifier(role)];
  return `DO $do$ BEGIN IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${name}) THEN CREATE ROLE ${to} LOGIN; END IF; END $do$;`;
}

/** Returns a statement that sets a role's password to the one with this verifier. */
export function passwordSql(role: string, verifier: string): string {
  return `ALTER ROLE ${identifier(role)} PASSWORD ${text(verifier)};`;
}

export const dividedTableNames: readonly string[] = [...dividedTables, ...serverTables];

/** Returns statements that hide all rows from roles without a policy, except from the owner of the tables. */
export function divideTablesSql(schema: string): string {
  return divideSql(schema, [...dividedTables, ...serverTables]).join("\n");
}

/** Returns statements that create a service's role if it is missing and give it exactly this access. */
export function serviceRoleSql(schema: string, role: string, access: ServiceAccess): readonly string[] {
  return [createRoleSql(role), ...revokeSql(schema, role), ...serviceGrants(new Grantee(schema, role), access)];
}

/** Returns statements that give an existing server role exactly this access. */
export function serverRoleSql(schema: string, server: ServerRole): readonly string[] {
  return [...revokeSql(schema, server.role), ...serverGrants(new Grantee(schema, server.role), server)];
}

function divideSql(schema: string, tables: readonly DividedTable[]): readonly string[] {
  return tables.map((table) => `ALTER TABLE ${tableOf(schema, table)} ENABLE ROW LEVEL SECURITY;`);
}

function revokeSql(schema: string, role: string): readonly string[] {
  const to = identifier(role);
  return [
    `REVOKE ALL ON ALL TABLES IN SCHEMA ${identifier(schema)} FROM ${to};`,
    `REVOKE ALL ON ALL SEQUENCES IN SCHEMA ${identifier(schema)} FROM ${to};`,
    `GRANT USAGE ON SCHEMA ${identifier(schema)} TO ${to};`,
    // A database may deny access to functions by default, and later versions of fw add functions.
    `GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${identifier(schema)} TO ${to};`,
    `ALTER DEFAULT PRIVILEGES IN SCHEMA ${identifier(schema)} GRANT EXECUTE ON FUNCTIONS TO ${to};`,
  ];
}

function serviceGrants(to: Grantee, access: ServiceAccess): readonly string[] {
  const { kinds, buckets, carriers, leases } = access;
  /**
   * Returns statements that give the role the privileges on the rows that meet a condition, or on no rows if the
   * condition is undefined.
   */
  const divide = (
    table: (typeof dividedTables)[number],
    condition: string | undefined,
    privileges = "SELECT, INSERT, UPDATE, DELETE",
  ): readonly string[] => [
    ...to.policy("ALL", table, condition),
    ...(condition === undefined ? [] : [to.grant(privileges, table)]),
  ];
  return [
    to.grant("SELECT", "numbers", "indexes", "subscribers"),
    to.grant("INSERT", "commits"),
    ...divide("documents", inList("kind", kinds)),
    ...divide("entries", to.ofKinds(kinds)),
    ...(kinds.length > 0 ? [to.grantSequence("versions")] : []),
    ...divide("objects", inList("bucket", buckets)),
    // Machines with an earlier version of fw do not store the bucket.
    ...divide("object_files", buckets.length === 0 ? undefined : inList("bucket", ["", ...buckets])),
    ...divide("messages", inList("carrier", carriers), "INSERT"),
    ...divide("leases", leasesNamed(leases), "SELECT, INSERT, UPDATE"),
    ...accountGrants(to, access),
    to.record(access),
  ];
}

function serverGrants(to: Grantee, { serviceRole, access }: ServerRole): readonly string[] {
  const { kinds, reads, crons, buckets, carriers, leases, inboxes, consumers, secrets } = access;
  const indexed = crons.length > 0 ? [...kinds, tickKind] : kinds;
  const roles = serviceRole === undefined ? [] : [serviceRole];
  return [
    to.grant("SELECT", "numbers", "indexes", "subscribers", "served", "machine_keys"),
    to.grant("SELECT (build)", "migrations"),
    to.grant("INSERT", "commits"),
    // Only policies restrict the rows, so a statement about another server's rows does nothing instead of failing.
    to.grant("SELECT, INSERT, UPDATE, DELETE", ...dividedTables, "dead_letters", "lanes"),
    to.grant("SELECT", "secrets", "service_roles"),
    to.grant("SELECT, DELETE, INSERT (id, version, until, build), UPDATE (version, until, build)", "machines"),
    to.grantSequence("versions"),
    to.grantSequence("claims"),
    ...to.policy("ALL", "documents", anyOf(inList("kind", kinds), ticksOf(crons))),
    ...to.policy("SELECT", "documents", inList("kind", [...reads, copyMarkKind])),
    ...to.policy("ALL", "entries", to.ofKinds(indexed)),
    ...to.policy("SELECT", "entries", to.ofKinds(reads)),
    ...to.policy("ALL", "objects", inList("bucket", buckets)),
    ...to.policy("ALL", "object_files", inList("bucket", buckets)),
    ...to.policy("ALL", "messages", inboxList(inboxes)),
    ...to.policy("INSERT", "messages", inList("carrier", carriers)),
    ...to.policy("ALL", "lanes", inboxList(inboxes)),
    ...to.policy("ALL", "dead_letters", inList("receiver", consumers)),
    ...to.policy("ALL", "leases", leasesNamed(leases)),
    ...to.policy("SELECT", "secrets", inList("name", secrets)),
    ...to.policy("SELECT", "service_roles", anyOf("role = current_user", inList("role", roles))),
    ...to.policy("ALL", "machines", "role = current_user"),
    ...to.policy("SELECT", "machines", "true"),
    ...accountGrants(to, access),
    to.record(access),
  ];
}

function accountGrants(to: Grantee, { accounts }: ServiceAccess): readonly string[] {
  if (accounts === "none") return [];
  return [to.grant(accounts === "read" ? "SELECT" : "SELECT, INSERT, UPDATE, DELETE", "accounts")];
}

/** Generates the statements for one role. */
class Grantee {
  readonly #schema: string;
  readonly #role: string;

  constructor(schema: string, role: string) {
    this.#schema = schema;
    this.#role = role;
  }

  grant(privileges: string, ...tables: readonly string[]): string {
    return `GRANT ${privileges} ON ${tables.map((table) => tableOf(this.#schema, table)).join(", ")} TO ${this.#to};`;
  }

  grantSequence(sequence: string): string {
    return `GRANT USAGE ON SEQUENCE ${tableOf(this.#schema, sequence)} TO ${this.#to};`;
  }

  /**
   * Returns statements that let the role use the rows of a divided table that meet a condition, or no rows if the
   * condition is undefined.
   */
  policy(command: "ALL" | "SELECT" | "INSERT", table: DividedTable, condition: string | undefined): readonly string[] {
    const name = tableOf(this.#schema, table);
    const policy = identifier(command === "ALL" ? this.#role : `${this.#role} ${command}`);
    const drop = `DROP POLICY IF EXISTS ${policy} ON ${name};`;
    if (condition === undefined) return [drop];
    const checks = {
      ALL: `USING (${condition}) WITH CHECK (${condition})`,
      SELECT: `USING (${condition})`,
      INSERT: `WITH CHECK (${condition})`,
    };
    return [drop, `CREATE POLICY ${policy} ON ${name} FOR ${command} TO ${this.#to} ${checks[command]};`];
  }

  /** Returns the condition for entries of these kinds; undefined for no kinds. */
  ofKinds(kinds: readonly string[]): string | undefined {
    if (kinds.length === 0) return undefined;
    return `ix IN (SELECT i.ix FROM ${tableOf(this.#schema, "indexes")} i WHERE i.kind = ANY (${array(kinds)}))`;
  }

  record(access: ServiceAccess): string {
    return `INSERT INTO ${tableOf(this.#schema, "service_roles")} VALUES (${text(this.#role)}, ${text(JSON.stringify(access))})
  ON CONFLICT (role) DO UPDATE SET access = excluded.access;`;
  }

  get #to(): string {
    return identifier(this.#role);
  }
}

function inList(expression: string, names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `${expression} = ANY (${array(names)})`;
}

/** Returns the condition for leases whose names start with one of these words; undefined for no words. */
function leasesNamed(words: readonly string[]): string | undefined {
  return inList("split_part(name, ' ', 1)", words);
}

function ticksOf(crons: readonly string[]): string | undefined {
  const ofCrons = inList("split_part(id, '@', 1)", crons);
  return ofCrons && `(kind = ${text(tickKind)} AND ${ofCrons})`;
}

/** Returns the condition for messages and lanes of these inboxes, including misfits; undefined for no inboxes. */
function inboxList(inboxes: readonly string[]): string | undefined {
  const pairs = inboxes.flatMap((inbox) => {
    const [carrier = "", receiver = ""] = inbox.split("\n");
    return [receiver, `${misfitMark}${receiver}`].map((each) => `(${text(carrier)}, ${text(each)})`);
  });
  return pairs.length === 0 ? undefined : `(carrier, receiver) IN (${pairs.join(", ")})`;
}

function anyOf(...conditions: readonly (string | undefined)[]): string | undefined {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? undefined : present.join(" OR ");
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
