import { PlatformError } from "../errors.ts";

/**
 * A parameter of a statement. `pg` sends bytes in binary form, arrays as array literals and all other values as text.
 */
export type SqlParameter =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | readonly (string | number | boolean | Uint8Array | null)[];

/** Formats a list as PostgreSQL's array literal. Faster than the driver, which must escape arbitrary strings. */
export function listText(values: readonly (number | boolean | bigint | Buffer | null)[]): string {
  const texts = values.map((value) => {
    if (value === null) return "NULL";
    return typeof value === "object" ? `"\\\\x${value.toString("hex")}"` : String(value);
  });
  return `{${texts.join(",")}}`;
}

/**
 * A row by column name. `int8` and `numeric` are strings. The few callers that read `bytea` or arrays cast their
 * values.
 */
export type SqlRow = Readonly<Record<string, null | boolean | number | string>>;

export interface SqlResult {
  readonly rows: readonly SqlRow[];
  readonly rowCount: number | null;
}

/**
 * Runs statements, either of one transaction or individually. Table names start with `@@`, the placeholder for fw's
 * schema.
 */
export interface Sql {
  rows(text: string, values?: readonly SqlParameter[]): Promise<readonly SqlRow[]>;
}

/** The part of a `pg` connection that fw uses. */
export interface DriverClient {
  connect(): Promise<unknown>;
  query(
    statement: string | { readonly text: string; readonly name?: string },
    values?: readonly SqlParameter[],
  ): Promise<SqlResult | readonly SqlResult[]>;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(
    event: "notification",
    listener: (message: { readonly channel: string; readonly payload?: string }) => void,
  ): unknown;
  on(event: "end", listener: () => void): unknown;
  end(): Promise<void>;
}

/** A pooled connection. `release(true)` closes it instead of reusing it. */
export interface PooledClient extends DriverClient {
  release(destroy?: boolean): void;
}

export interface DriverPool {
  connect(): Promise<PooledClient>;
  /** The number of open connections, and how many of them are idle. */
  readonly totalCount: number;
  readonly idleCount: number;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "connect", listener: (client: DriverClient) => void): unknown;
  end(): Promise<void>;
}

export interface DriverOptions {
  readonly connectionString: string;
  readonly application_name: string;
  readonly keepAlive: boolean;
  readonly connectionTimeoutMillis: number;
  readonly max?: number;
  readonly idleTimeoutMillis?: number;
}

/** The part of the module `pg` that fw uses. */
export interface Driver {
  readonly Pool: new (options: DriverOptions) => DriverPool;
  readonly Client: new (options: DriverOptions) => DriverClient;
}

const installDriver = "npm install pg@8";

/** The driver's package, in a variable so that bundlers do not include it. */
const packageName = "pg";

/** Loads the application's driver. If it is missing, throws a PlatformError `data` that names the install command. */
export async function loadDriver(): Promise<Driver> {
  try {
    const module = (await import(packageName)) as { readonly default: Driver };
    return module.default;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new PlatformError("data", `PostgreSQL needs the package pg, which is not installed: ${installDriver}`);
  }
}
