import { createRequire } from "node:module";

/** A SQLite value: integers and doubles are numbers, blobs are bytes. */
export type SqlValue = null | number | string | Uint8Array;

export type Row = readonly SqlValue[];

/** Statistics of a connection, including rolled-back transactions. */
interface Counts {
  /** The number of `run` calls, which are the statements that may have changed rows. */
  runs: number;
}

/** A database connection. Every call is synchronous. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  readonly counts: Counts;
  /**
   * Locks the database exclusively until the connection closes. Does nothing with libsql, which would release the lock
   * too late.
   */
  keep(): void;
  close(): void;
}

export interface Statement {
  get(...values: SqlValue[]): Row | undefined;
  all(...values: SqlValue[]): Row[];
  /** Returns the number of changed rows. */
  run(...values: SqlValue[]): number;
}

interface Driver {
  exec(sql: string): unknown;
  prepare(sql: string): DriverStatement;
  close(): void;
}

interface DriverStatement {
  /** libsql's description of a statement's result columns. */
  columns?(): readonly { readonly type: string | null }[];
  raw?(on: boolean): unknown;
  setReturnArrays?(on: boolean): unknown;
  get(...values: unknown[]): unknown;
  all(...values: unknown[]): unknown[];
  run(...values: unknown[]): { changes: number | bigint };
}

export function prepareAll<Name extends string>(
  database: Database,
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Statement>> {
  const names = Object.keys(texts) as Name[];
  return Object.fromEntries(names.map((name) => [name, database.prepare(texts[name])])) as Record<Name, Statement>;
}

/** Runs work in a transaction and rolls it back on failure. */
export function inTransaction<T>(database: Database, work: () => T): T {
  try {
    database.exec("BEGIN IMMEDIATE");
    const result = work();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    try {
      database.exec("ROLLBACK");
    } catch {
      // SQLite has already rolled the transaction back, for example because the disk is full.
    }
    throw error;
  }
}

const require = createRequire(import.meta.url);

/**
 * Opens or creates a database file. Uses `node:sqlite` on Node 24 and later, where it prints no warning, and libsql
 * otherwise.
 */
export function openDatabase(path: string): Database {
  const old = Number.parseInt(process.versions.node, 10) < 24;
  const driver = old ? connectLibsql(path) : connectNode(path);
  const counts = { runs: 0 };
  return {
    counts,
    exec: (sql) => void driver.exec(sql),
    prepare: (sql) => (old ? libsqlStatement(driver, sql, counts) : nodeStatement(driver, sql, counts)),
    keep: () => {
      if (!old) driver.exec("PRAGMA locking_mode = EXCLUSIVE");
    },
    close: () => driver.close(),
  };
}

export function isSqliteError(error: unknown): error is Error {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return typeof errcode === "number" || (typeof code === "string" && code.startsWith("SQLITE_"));
}

/** Whether the error means that another process has locked the database. */
export function isBusy(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  return code === "SQLITE_BUSY" || errcode === 5;
}

function connectNode(path: string): Driver {
  const { DatabaseSync } = require("node:sqlite") as { DatabaseSync: new (path: string) => Driver };
  return new DatabaseSync(path);
}

function connectLibsql(path: string): Driver {
  const Libsql = require("libsql") as new (path: string) => Driver;
  return new Libsql(path);
}

function nodeStatement(driver: Driver, sql: string, counts: Counts): Statement {
  const statement = driver.prepare(sql);
  statement.setReturnArrays?.(true);
  return {
    get: (...values) => statement.get(...values) as Row | undefined,
    all: (...values) => statement.all(...values) as Row[],
    run: (...values) => {
      counts.runs++;
      return Number(statement.run(...values).changes);
    },
  };
}

/**
 * Passes the values as one array: libsql mistakes a single blob for an object of named values and aborts the process.
 */
function libsqlStatement(driver: Driver, sql: string, counts: Counts): Statement {
  const { statement, texts } = readTextAsBytes(driver, sql);
  const read = (row: unknown): Row => textsIn(row as SqlValue[], texts);
  return {
    get: (...values) => {
      const row = statement.get(values);
      return row === undefined ? undefined : read(row);
    },
    all: (...values) => statement.all(values).map(read),
    run: (...values) => {
      counts.runs++;
      return Number(statement.run(values).changes);
    },
  };
}

/**
 * Reads text columns as bytes. libsql truncates text at a NUL, and aborts the process if it is not UTF-8, as in a
 * damaged file.
 */
function readTextAsBytes(driver: Driver, sql: string): { statement: DriverStatement; texts: readonly number[] } {
  const statement = driver.prepare(sql);
  if (!/^\s*(?:SELECT|PRAGMA)/i.test(sql)) return { statement, texts: [] };
  const columns = statement.columns?.() ?? [];
  const texts = columns.flatMap(({ type }, i) => (type === "TEXT" ? [i] : []));
  const reader = texts.length === 0 ? statement : driver.prepare(selectBytes(sql, texts));
  reader.raw?.(true);
  return { statement: reader, texts };
}

function selectBytes(sql: string, texts: readonly number[]): string {
  const [, list = "", rest = ""] = /^\s*SELECT (.*?)(\s+FROM .*)$/is.exec(sql) ?? [];
  const columns = list.split(",").map((column, i) => (texts.includes(i) ? `CAST(${column.trim()} AS BLOB)` : column));
  return `SELECT ${columns.join(", ")}${rest}`;
}

function textsIn(row: SqlValue[], texts: readonly number[]): Row {
  for (const i of texts) {
    const bytes = row[i];
    if (bytes instanceof Uint8Array) row[i] = (bytes as Buffer).toString();
  }
  return row;
}
