import { join } from "node:path";
import type { Clock, Definitions, Platform } from "../contract.ts";
import { readDefinitions } from "../definitions.ts";
import { PlatformError } from "../errors.ts";
import type { Dispatcher } from "../messages.ts";
import { LocalAccounts } from "./accounts.ts";
import { Passwords } from "./accounts-password.ts";
import { systemClock } from "../clock.ts";
import { Catalog } from "./catalog.ts";
import { LocalChanges } from "./changes.ts";
import { Documents } from "./documents.ts";
import { LocalEntities } from "./entities.ts";
import { Moments, type HeldMoment } from "./backup/moments.ts";
import { damageOf } from "./damage.ts";
import { closeStore, openMark } from "./empty-log.ts";
import { ensureDirectory, ensureFiles } from "./files.ts";
import { IndexRows } from "./index-rows.ts";
import { LocalLeases } from "./leases.ts";
import { lockDirectory, lockedError } from "./lock.ts";
import type { OpenMark } from "./open-mark.ts";
import { LocalMessages } from "./messages.ts";
import { LocalObjects } from "./objects.ts";
import { requireDataDirectory } from "./data-directory.ts";
import { Queries } from "./queries.ts";
import { Redefinitions } from "./redefinition.ts";
import { configure, migrate } from "./schema.ts";
import { openSecrets, type Secrets } from "./keys.ts";
import { isBusy, isSqliteError, openDatabase, type Database } from "./sqlite.ts";
import { Uniques } from "./uniques.ts";
import { hasAccounts, hasMessages, hasObjects, unusedPort } from "../used-ports.ts";
import { Versions } from "./versions.ts";
import { WriteQueue } from "./write-queue.ts";

/** Interval between scans for expired documents, in milliseconds. */
const expiryMs = 60_000;

/**
 * Interval in milliseconds at which messages that fit no type are retried: while the code is being replaced, an old
 * process may set aside messages meant for new code.
 */
const misfitRetryMs = 600_000;

/** The number of documents to delete per commit. */
const expiryBatch = 500;

/** Delivers messages and exposes the backlog to operators. */
export type LocalDispatcher = Dispatcher & Pick<LocalMessages, "backlog" | "drop">;

/** Also lets the console list single messages and make them due. */
export type InspectedDispatcher = LocalDispatcher &
  Pick<LocalMessages, "deadCount" | "hasten" | "newestDead" | "pending">;

/** An open store: its database, and the queue through which every write passes. */
export interface LocalStore {
  readonly database: Database;
  readonly queue: WriteQueue;
}

/** A platform, for one machine or several, whose messages and fills the console can show. */
export interface InspectedPlatform extends Platform {
  readonly dispatcher: InspectedDispatcher;
  fills: NonNullable<Platform["fills"]>;
}

/** The platform for development, tests and single machines. */
export interface LocalPlatform extends InspectedPlatform {
  readonly accounts: LocalAccounts;
  /** Gives commands that copy data access to every row, without adding their code to services. */
  readonly store: LocalStore;
  prepare: NonNullable<Platform["prepare"]>;
  /**
   * Returns the same platform for code built with these committed or prepared definitions. Its queries and writes use
   * them even after others are committed.
   */
  builtWith(definitions: Definitions): LocalPlatform;
  /** Returns a key that belongs to this data and is stable across restarts. */
  readonly secret: Secrets;
  /** Freezes a snapshot of all data, so that another process can copy it. */
  hold(): HeldMoment;
  /** Deletes expired documents, as a timer does every minute; resolves with the number deleted. */
  deleteExpired(): Promise<number>;
}

export interface LocalOptions {
  readonly clock?: Clock;
  /** Returns a number from 0 to 1 for the jitter of a pause before a retry. */
  readonly random?: () => number;
  /** Receives warnings about documents that violate the current definitions. */
  readonly warn?: (sentence: string) => void;
  /** Receives progress messages about long fills. */
  readonly note?: (sentence: string) => void;
  /** Skips fsync and hashes passwords with fewer rounds; for throwaway data such as tests. */
  readonly temporary?: boolean;
  /** Aborts the fill of new indexes; `openLocal` then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Opens or creates the data in a directory and locks it until `close` is called or the process ends. Throws a
 * PlatformError `locked` while another process has it open, and `data` if this version of fw cannot read it.
 */
export async function openLocal(
  directory: string,
  definitions: Definitions,
  options: LocalOptions = {},
): Promise<LocalPlatform> {
  requireDataDirectory(directory);
  ensureDirectory(directory);
  let unlock: (() => void) | undefined;
  try {
    unlock = lockDirectory(directory);
    const damage = damageOf(directory);
    if (damage !== undefined) throw unreadableError(directory, damage);
    ensureFiles(directory);
    const database = openDatabase(join(directory, "store"));
    let mark: OpenMark | undefined;
    try {
      configure(database, options.temporary ? "OFF" : "FULL");
      migrate(database, directory);
      if (!options.temporary) mark = openMark(database, directory);
      return await openStore({ directory, database, mark, unlock }, definitions, options);
    } catch (error) {
      closeStore(database, mark);
      throw error;
    }
  } catch (error) {
    unlock?.();
    throw isBusy(error)
      ? lockedError(directory)
      : isSqliteError(error)
        ? unreadableError(directory, error.message)
        : error;
  }
}

function unreadableError(directory: string, message: string): PlatformError {
  const todo = "restore a backup, or delete the directory to start without data";
  return new PlatformError("data", `the data in ${directory} cannot be read (${message}); ${todo}`);
}

interface OpenParts {
  readonly directory: string;
  readonly database: Database;
  readonly mark: OpenMark | undefined;
  readonly unlock: () => void;
}

async function openStore(parts: OpenParts, definitions: Definitions, options: LocalOptions): Promise<LocalPlatform> {
  const { database, mark, unlock } = parts;
  const ports = await openPorts(parts, definitions, options);
  const { entities, leases, accounts, objects, messages, changes, clock, secret, queue, catalog } = ports;
  const redefinitions = new Redefinitions(ports, definitions);
  const moments = new Moments({ database, mark, files: hasObjects ? objects.files : unusedPort, clock });
  const stopTimers = startTimers(ports);
  let isClosed = false;
  const platform: LocalPlatform = {
    entities,
    leases,
    accounts,
    objects,
    messages,
    dispatcher: messages,
    store: ports,
    changes,
    clock,
    secret,
    deleteExpired: () => deleteExpired(ports),
    hold: () => moments.hold(),
    fills: async () => ports.indexRows.fills,
    prepare: (next, ending) => redefinitions.prepare(next, ending),
    builtWith: (own) => ({ ...platform, entities: entities.builtWith(readDefinitions(own)) }),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      stopTimers();
      if (hasMessages) messages.close();
      if (hasObjects) await objects.close();
      queue.close();
      await catalog.close();
      entities.close();
      if (hasAccounts) accounts.close();
      closeStore(database, mark);
      unlock();
    },
  };
  return platform;
}

type OpenPorts = Awaited<ReturnType<typeof openPorts>>;

/** Opens the queue of writes. A commit's side effects start once it is on disk. */
function openQueue(
  database: Database,
  {
    mark,
    versions,
    changes,
  }: Pick<OpenParts, "mark"> & { readonly versions: Versions; readonly changes: LocalChanges },
): WriteQueue {
  return new WriteQueue(database, {
    onDisk: () => {
      mark?.advance();
      changes.publish();
    },
    onRollback: () => {
      versions.forgetReservation();
      changes.discard();
    },
  });
}

/** Opens the ports and commits their definitions. */
async function openPorts(
  { directory, database, mark }: OpenParts,
  definitions: Definitions,
  { clock = systemClock, random, warn, note, signal, temporary = false }: LocalOptions,
) {
  const versions = new Versions(database);
  const changes = new LocalChanges();
  const queue = openQueue(database, { mark, versions, changes });
  const indexRows = new IndexRows(database, queue, note);
  const catalog = new Catalog(indexRows, warn);
  const parts = {
    database,
    clock,
    queue,
    catalog,
    indexRows,
    versions,
    changes,
    documents: new Documents({ database, catalog, versions, changes, indexRows }),
    leases: new LocalLeases(database, queue, clock),
    messages: hasMessages ? new LocalMessages(database, queue, clock, definitions.consumers ?? [], random) : unusedPort,
  };
  await (await catalog.prepare(readDefinitions(definitions), signal)).commit();
  const secret = openSecrets(directory, database);
  return {
    ...parts,
    secret,
    entities: new LocalEntities({
      ...parts,
      queries: new Queries(database, catalog),
      uniques: new Uniques(parts),
      cursorKey: secret("cursor"),
    }),
    accounts: hasAccounts
      ? new LocalAccounts(database, queue, clock, secret, new Passwords({ isTemporary: temporary }))
      : unusedPort,
    objects: hasObjects
      ? new LocalObjects({ ...parts, directory, signingKey: () => secret("signed urls") }, definitions.buckets ?? [])
      : unusedPort,
  };
}

async function deleteExpired({ queue, documents, clock }: OpenPorts): Promise<number> {
  let total = 0;
  for (let count = expiryBatch; count === expiryBatch; total += count)
    count = await queue.write(() => documents.removeExpired(clock.now(), expiryBatch));
  return total;
}

/** Starts the recurring work of an open store; returns a function that ends it. */
function startTimers(ports: OpenPorts): () => void {
  const timers = [
    setInterval(() => void deleteExpired(ports).catch(() => {}), expiryMs).unref(),
    ...(hasMessages ? [setInterval(() => ports.messages.retryMisfits(), misfitRetryMs).unref()] : []),
  ];
  return () => timers.forEach((timer) => clearInterval(timer));
}
