import { PlatformError } from "../errors.ts";

/** The default number of connections of one process to the database. */
const defaultConnections = 10;

export interface DatabaseAddress {
  /** The connection string for the driver, without fw's own parameters. It contains the password: never log it. */
  readonly connectionString: string;
  /** The address without user and password, for messages. */
  readonly displayName: string;
  readonly schema: string;
  readonly connections: number;
  /** True if the connection goes through a pooler in transaction mode, where LISTEN does not work. */
  readonly isPooled: boolean;
  /** True if connections keep prepared statements. */
  readonly prepares: boolean;
}

/**
 * Reads `postgres://…`. fw's own parameters are `schema`, `connections`, `pgbouncer` and `prepare`; others reach the
 * driver.
 */
export function readAddress(text: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(?:ql)?:$/.test(url.protocol))
    throw new PlatformError("data", "the address of the database is a URL such as postgres://user@host:5432/name");
  const { searchParams } = url;
  const schema = searchParams.get("schema") ?? "fw";
  const connections = Number(searchParams.get("connections") ?? defaultConnections);
  const isPooled = searchParams.get("pgbouncer") === "true";
  const prepares = (searchParams.get("prepare") ?? String(!isPooled)) === "true";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_"))
    throw new PlatformError("data", `"schema" takes lowercase letters, digits and _, not ${JSON.stringify(schema)}`);
  if (!Number.isInteger(connections) || connections < 2 || connections > 1_000)
    throw new PlatformError("data", `"connections" takes a number from 2 to 1000, not ${connections}`);
  for (const name of ["schema", "connections", "pgbouncer", "prepare"]) searchParams.delete(name);
  const displayName = `postgres://${url.host}${url.pathname}`;
  return { connectionString: url.href, displayName, schema, connections, isPooled, prepares };
}
