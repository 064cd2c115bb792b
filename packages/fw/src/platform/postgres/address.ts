import { PlatformError } from "../errors.ts";

/** The default number of database connections per process. */
const defaultConnections = 10;

export interface DatabaseAddress {
  /** The connection string for the driver, without fw's own parameters. It contains the password: never log it. */
  readonly connectionString: string;
  /** The address without user and password, for use in messages. */
  readonly displayName: string;
  readonly schema: string;
  readonly connections: number;
  /** True if the connection goes through a pooler in transaction mode, which does not support LISTEN. */
  readonly isPooled: boolean;
  /** True if connections may use prepared statements. */
  readonly prepares: boolean;
}

/**
 * Parses `postgres://…`. The parameters `schema`, `connections`, `pgbouncer` and `prepare` are fw's own; all others are
 * passed to the driver.
 */
export function readAddress(text: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(?:ql)?:$/.test(url.protocol))
    throw new PlatformError("data", "the address of the database must be a URL such as postgres://user@host:5432/name");
  const { searchParams } = url;
  const schema = searchParams.get("schema") ?? "fw";
  const connections = Number(searchParams.get("connections") ?? defaultConnections);
  const isPooled = searchParams.get("pgbouncer") === "true";
  const prepares = (searchParams.get("prepare") ?? String(!isPooled)) === "true";
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema) || schema.startsWith("pg_"))
    throw new PlatformError(
      "data",
      `"schema" must consist of lowercase letters, digits and _, not ${JSON.stringify(schema)}`,
    );
  if (!Number.isInteger(connections) || connections < 2 || connections > 1_000)
    throw new PlatformError("data", `"connections" must be a number from 2 to 1000, not ${connections}`);
  for (const name of ["schema", "connections", "pgbouncer", "prepare"]) searchParams.delete(name);
  const displayName = `postgres://${url.host}${url.pathname}`;
  return { connectionString: url.href, displayName, schema, connections, isPooled, prepares };
}
