import { messageOf } from "../../lib/thrown.ts";
import { PlatformError } from "../errors.ts";
import type { Connections } from "./connections.ts";
import type { Sql } from "./driver.ts";
import { sqlState } from "./failures.ts";
import { changeTables, type ChangeOptions } from "./changed-tables.ts";
import {
  createRoleSql,
  dividedTableNames,
  divideTablesSql,
  passwordSql,
  serverRoleSql,
  serviceRoleSql,
} from "./grants-sql.ts";
import { scramVerifier } from "./scram-verifier.ts";
import { aliveSql } from "./served-schema.ts";
import { joinedServerAccess, type ServerAccess, type ServerRole } from "./server-access.ts";
import { joinedAccess, type ServiceAccess, type ServiceRole } from "./service-access.ts";

/** Milliseconds for which roles keep the access of a replaced build. */
const replacedMs = 24 * 3_600_000;

export interface BuildRoles {
  /** Identifies what the build requires of the database. */
  readonly build: string;
  readonly servers: readonly ServerRole[];
  /** The roles of services. Those that do not exist in the database are skipped unless `addsServices` is set. */
  readonly services: readonly ServiceRole[];
  readonly addsServices: boolean;
  readonly passwords: ReadonlyMap<string, string>;
}

type RoleAccess = Readonly<Record<string, ServiceAccess | ServerAccess>>;

/** Runs work in one transaction; reruns it if other transactions block it. */
type Change = (work: (sql: Sql) => Promise<void>) => Promise<void>;

/** A build that the database is prepared for, and the access of its roles. */
interface Migration {
  readonly build: string;
  readonly at: number;
  readonly roles: RoleAccess;
}

/** The state of a database before its roles change. */
interface RoleState {
  readonly now: number;
  readonly access: ReadonlyMap<string, string>;
  /** Builds whose machines may still run, in the order of their preparation. */
  readonly migrations: readonly Migration[];
}

/**
 * Gives the roles of servers and services the access that a build needs, and records the build. Roles keep the access
 * of earlier builds whose machines may still be running.
 */
export async function grantRoles(connections: Connections, roles: BuildRoles, options: ChangeOptions): Promise<void> {
  const state = await readState(connections, roles.build);
  const services = roles.services.filter(({ role }) => roles.addsServices || state.access.has(role));
  const change = (work: (sql: Sql) => Promise<void>): Promise<void> =>
    explainRefusal(connections, () => changeTables(connections, options, work));
  await changeRoles(connections.address.schema, { ...roles, services }, state, change);
  await setPasswords(roles.passwords, change);
  const needs = Object.fromEntries([...roles.servers, ...services].map(({ role, access }) => [role, access]));
  await change((sql) => record(sql, roles.build, needs, state));
}

/**
 * Changes each role in a separate transaction, and only if its access changes: changing policies waits for transactions
 * that use the tables.
 */
async function changeRoles(
  schema: string,
  build: Pick<BuildRoles, "servers" | "services">,
  { access, migrations }: RoleState,
  change: Change,
): Promise<void> {
  const services = build.services.map((each) => withEarlier(each, migrations, joinedAccess));
  const servers = build.servers.map((each) => withEarlier(each, migrations, joinedServerAccess));
  await change((sql) => prepare(sql, schema, { roles: [...servers, ...services], services, access }));
  const grants = [
    ...servers.map((server) => ({ ...server, sql: serverRoleSql(schema, server) })),
    ...services.map((service) => ({ ...service, sql: serviceRoleSql(schema, service.role, service.access) })),
  ];
  for (const { role, access: own, sql: statements } of grants)
    if (access.get(role) !== JSON.stringify(own))
      await change(async (sql) => void (await sql.rows(statements.join("\n"))));
}

/** Extends the access of a role by what earlier builds need. */
function withEarlier<Access extends ServiceAccess, Role extends { readonly role: string; readonly access: Access }>(
  role: Role,
  migrations: readonly Migration[],
  join: (one: Access, other: Access) => Access,
): Role {
  const earlier = migrations.flatMap(({ roles }) => (roles[role.role] as Access | undefined) ?? []);
  return { ...role, access: earlier.reduce(join, role.access) };
}

async function readState(connections: Connections, build: string): Promise<RoleState> {
  const [time] = await connections.runRepeatable(`SELECT ${connections.nowSql} AS now`);
  const now = Number(time?.["now"]);
  const roles = await connections.runRepeatable("SELECT role, access FROM @@service_roles");
  const access = new Map(roles.map((row) => [String(row["role"]), String(row["access"])]));
  const running = await connections.runRepeatable(
    `SELECT DISTINCT build FROM @@machines WHERE ${aliveSql(connections)}`,
  );
  const migrations = await readMigrations(connections);
  const isUsed = (migration: Migration, position: number): boolean =>
    [build, ...running.map((row) => row["build"])].includes(migration.build) ||
    (migrations[position + 1]?.at ?? now) > now - replacedMs;
  return { now, access, migrations: migrations.filter(isUsed) };
}

async function readMigrations(connections: Connections): Promise<readonly Migration[]> {
  const rows = await connections.runRepeatable("SELECT build, at, roles FROM @@migrations ORDER BY at");
  return rows.map(({ build, at, roles }) => ({
    build: String(build),
    at: Number(at),
    roles: JSON.parse(String(roles)) as RoleAccess,
  }));
}

interface PreparedRoles extends Pick<RoleState, "access"> {
  readonly roles: readonly { readonly role: string }[];
  readonly services: readonly ServiceRole[];
}

/**
 * Creates missing roles. If it enables row-level security, also creates the policies that services' roles then need.
 */
async function prepare(sql: Sql, schema: string, { roles, services, access }: PreparedRoles): Promise<void> {
  const names = roles.map(({ role }) => role);
  const present = await sql.rows("SELECT rolname FROM pg_roles WHERE rolname = ANY ($1::text[])", [names]);
  const existing = new Set(present.map(({ rolname }) => String(rolname)));
  for (const role of names) if (!existing.has(role)) await sql.rows(createRoleSql(role));
  const undivided = await sql.rows(
    `SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = ANY ($2::text[]) AND NOT c.relrowsecurity`,
    [schema, dividedTableNames],
  );
  if (undivided.length === 0) return;
  await sql.rows(divideTablesSql(schema));
  const accesses = new Map([
    ...[...access].map(([role, text]) => [role, JSON.parse(text) as ServiceAccess] as const),
    ...services.map((service) => [service.role, service.access] as const),
  ]);
  for (const [role, own] of accesses)
    if (!("server" in own)) await sql.rows(serviceRoleSql(schema, role, own).join("\n"));
}

async function setPasswords(passwords: BuildRoles["passwords"], change: Change): Promise<void> {
  // The statement may be logged by the server, so it contains a verifier instead of the password.
  const statements = await Promise.all(
    [...passwords].map(async ([role, password]) => passwordSql(role, await scramVerifier(password))),
  );
  if (statements.length > 0) await change(async (sql) => void (await sql.rows(statements.join("\n"))));
}

/** Records the build and deletes builds that are no longer needed. Preparing the latest build again keeps its time. */
async function record(sql: Sql, build: string, roles: RoleAccess, { now, migrations }: RoleState): Promise<void> {
  const last = migrations.at(-1);
  const at = last?.build === build ? last.at : now;
  await sql.rows("DELETE FROM @@migrations WHERE NOT build = ANY ($1::text[])", [
    migrations.map((migration) => migration.build),
  ]);
  await sql.rows(
    `INSERT INTO @@migrations (build, at, roles) VALUES ($1, $2, $3) ON CONFLICT (build)
     DO UPDATE SET at = excluded.at, roles = excluded.roles`,
    [build, at, JSON.stringify(roles)],
  );
}

/** Runs the work. If the owner of the tables may not change roles, throws an error that says what to do. */
async function explainRefusal(connections: Connections, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (sqlState(error) !== "42501") throw error;
    throw new PlatformError(
      "data",
      `the role of FW_DATABASE may not make the roles of the servers in ${connections.address.displayName}: ALTER ROLE ... CREATEROLE, or make them as the database's administrator (${messageOf(error)})`,
    );
  }
}
