import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { App } from "../../model/app.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { ensureDirectory } from "../../platform/local/files.ts";
import { lockDirectory } from "../../platform/local/lock.ts";
import type { LocalPlatform } from "../../platform/local/open.ts";
import type { BuiltModel } from "../../topology/built-model.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";
import type { ServedPlatform } from "../../topology/served-platform.ts";
import { Refusal } from "../command.ts";
import { openData, refusalOf } from "../data/open.ts";
import { databaseMark } from "../data/database-mark.ts";
import type { IO } from "../io.ts";

/** A database, and the files beside it. */
export interface DatabaseSettings {
  /** `postgres://…`. */
  readonly address: string;
  /** The address of services, with `{role}` for their roles; undefined if they share the role of `address`. */
  readonly services: string | undefined;
  /** The directory with the bytes of objects, which all machines share. */
  readonly objects: string;
}

/** The data that a server works on. */
export interface ServedData {
  readonly platform: ServedPlatform;
  /** Rejects while the data cannot be reached. */
  readonly reach: () => Promise<void>;
  /** Takes the services of a build. Refuses if the database grants one of them less than its code needs. */
  readonly useServices?: (model: BuiltModel) => Promise<void>;
  /** Holds a moment of data of one machine, for a backup. */
  readonly hold?: LocalPlatform["hold"];
  close(): Promise<void>;
}

/** Receivers of sentences about documents that are not as defined, and about the progress of long fills. */
export interface ServedReports {
  readonly warn: (sentence: string) => void;
  readonly note: (sentence: string) => void;
}

interface DataSettings {
  /** Absolute. */
  readonly data: string;
  readonly database?: DatabaseSettings;
}

/** Opens the data of an application, in the directory or in a database. Refuses in a sentence without a password. */
export async function openServed(
  { data, database }: DataSettings,
  app: App,
  { warn, note }: ServedReports,
  signal: AbortSignal,
): Promise<ServedData> {
  if (database !== undefined) return openDatabase(data, database, app, warn, signal);
  const platform = await openData({ directory: data }, app, { signal, warn, note });
  return { platform, reach: async () => {}, hold: () => platform.hold(), close: () => platform.close() };
}

/** The environment of services: the address of the database has its password. */
export function withoutAddress(env: IO["env"]): IO["env"] {
  return { ...env, FW_DATABASE: undefined, FW_SERVICE_DATABASE: undefined };
}

async function openDatabase(
  directory: string,
  { address, services, objects }: DatabaseSettings,
  app: App,
  warn: (sentence: string) => void,
  signal: AbortSignal,
): Promise<ServedData> {
  const addressOf = services === undefined ? undefined : addressOfRole(services);
  const unlock = claimDirectory(directory);
  try {
    const { openPostgres } = await import("../../platform/postgres/open.ts");
    const { bytesOnDisk } = await import("../../platform/postgres/objects/bytes.ts");
    const platform = await openPostgres(address, definitionsOfModel(app), {
      bytes: bytesOnDisk(objects),
      warn,
      signal,
      ...(addressOf && { addressOf }),
    });
    const { serviceRoles } = await import("../../platform/postgres/service-access.ts");
    const useServices = async ({ app: { name }, grants }: BuiltModel): Promise<void> =>
      refusing(platform.useRoles(serviceRoles(name, Object.entries(grants))));
    const close = async (): Promise<void> => {
      await platform.close();
      unlock();
    };
    return { platform, reach: () => platform.reach(), ...(addressOf && { useServices }), close };
  } catch (error) {
    unlock();
    throw databaseRefusal(error);
  }
}

async function refusing(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw databaseRefusal(error);
  }
}

function databaseRefusal(error: unknown): unknown {
  const isExpected = isPlatformError(error, "data") || isPlatformError(error, "unreachable");
  return isExpected ? new Refusal(error.message) : error;
}

function addressOfRole(address: string): (role: string) => string {
  if (!address.includes("{role}"))
    throw new Refusal(`the address of services needs {role} where the user is, such as postgres://{role}@db/notes`);
  return (role) => address.replaceAll("{role}", role);
}

/** Creates the machine's own directory: its copies of services, and the connection file for commands. */
function claimDirectory(directory: string): () => void {
  if (existsSync(join(directory, "store")))
    throw new Refusal(
      `${directory} has the data of one machine, which a database does not use: name another directory with --data`,
    );
  try {
    ensureDirectory(directory);
    const unlock = lockDirectory(directory);
    writeFileSync(databaseMark(directory), "The data of this application is in a database.\n", { mode: 0o600 });
    return unlock;
  } catch (error) {
    throw refusalOf(error, undefined);
  }
}
