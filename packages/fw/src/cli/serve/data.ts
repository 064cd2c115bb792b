import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { App } from "../../model/app.ts";
import type { Platform } from "../../platform/contract.ts";
import type { MachineKeys } from "../../platform/machine-keys.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { ensureDirectory } from "../../platform/local/files.ts";
import { lockDirectory } from "../../platform/local/lock.ts";
import type { InspectedPlatform, LocalPlatform } from "../../platform/local/open.ts";
import type { PostgresPlatform } from "../../platform/postgres/open.ts";
import type { ServerAccess } from "../../platform/postgres/server-access.ts";
import { copyKinds, unfinishedCopyOf } from "../../platform/transfer/copy.ts";
import type { BuiltModel } from "../../topology/built-model.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";
import type { ServedPlatform } from "../../topology/served-platform.ts";
import { Refusal } from "../command.ts";
import { openData, refusalOf, withFrameworkKinds } from "../data/open.ts";
import { databaseMark } from "../data/database-mark.ts";
import type { IO } from "../io.ts";

/** A database, and the files that belong to it. */
export interface DatabaseSettings {
  /** `postgres://…`. */
  readonly address: string;
  /** The address for services, with `{role}` for their roles; undefined if they share the role of `address`. */
  readonly services: string | undefined;
  /** The directory for the bytes of objects, shared by all machines, or the address of a bucket (`s3://…`). */
  readonly objects: string;
}

export interface ServedData {
  readonly platform: ServedPlatform;
  /** Rejects while the data is unreachable. */
  readonly reach: () => Promise<void>;
  /** Sets up access for the services of a build. Refuses if a service has less database access than its code needs. */
  readonly useServices?: (model: BuiltModel) => Promise<void>;
  /** Records the types of the running version for other machines. */
  readonly recordSchema?: PostgresPlatform["recordSchema"];
  /** The keys for calls between machines; absent for data in a directory, which only one machine uses. */
  readonly machineKeys?: MachineKeys;
  /** Holds a snapshot of one machine's data for a backup. */
  readonly hold?: LocalPlatform["hold"];
  /** The same data, for the dashboard. */
  readonly inspected: InspectedPlatform;
  close(): Promise<void>;
}

/** Receivers of warnings about documents that do not match their definitions, and notes about long fills. */
export interface ServedReports {
  readonly warn: (sentence: string) => void;
  readonly note: (sentence: string) => void;
}

interface DataSettings {
  /** The absolute path of the data. */
  readonly data: string;
  readonly database?: DatabaseSettings | undefined;
  /** The access of the database role; undefined if the role owns the tables. */
  readonly access?: ServerAccess | undefined;
}

/** The environment with a bucket's keys, and a signal that aborts a start. */
interface OpenContext {
  readonly env: IO["env"];
  readonly signal: AbortSignal;
}

/** Opens the data of an application, in the directory or in a database. Its refusals never contain a password. */
export async function openServed(
  { data, database, access }: DataSettings,
  app: App,
  reports: ServedReports,
  { env, signal }: OpenContext,
): Promise<ServedData> {
  if (database !== undefined) return openDatabase(data, database, app, reports, { env, signal, access });
  const platform = await openData({ directory: data }, app, { signal, frameworkKinds: copyKinds, ...reports });
  await refuseUnfinishedCopy(platform);
  return {
    platform,
    reach: async () => {},
    inspected: platform,
    hold: () => platform.hold(),
    close: () => platform.close(),
  };
}

/**
 * Returns the environment for services, without the addresses of the database and the objects, a bucket's keys, the
 * dashboard's key and the social provider's secret.
 */
export function environmentOfServices(env: IO["env"], database: DatabaseSettings | undefined): IO["env"] {
  const ofBucket = database !== undefined && isBucket(database.objects) ? bucketKeys : [];
  const withheld = [...addresses, ...ofBucket, "FW_OIDC_CLIENT_SECRET"];
  return { ...env, ...Object.fromEntries(withheld.map((name) => [name, undefined])) };
}

const addresses = ["FW_DATABASE", "FW_SERVICE_DATABASE", "FW_OBJECTS", "FW_DASHBOARD_KEY"];
const bucketKeys = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"];

/** True if objects are in a bucket rather than a directory. */
function isBucket(objects: string): boolean {
  return objects.startsWith("s3:");
}

interface DatabaseOptions {
  readonly database?: string | undefined;
  readonly serviceDatabase?: string | undefined;
  readonly objects?: string | undefined;
}

interface MachineDirectories {
  /** The machine's own directory. */
  readonly data: string;
  readonly cwd: string;
  readonly env: IO["env"];
}

/** Reads the settings of a database from options and variables; undefined if there is none. */
export function databaseOf(
  { database, serviceDatabase, objects = "" }: DatabaseOptions,
  { data, cwd, env }: MachineDirectories,
): DatabaseSettings | undefined {
  const address = database ?? (env["FW_DATABASE"] || undefined);
  const place = objects || env["FW_OBJECTS"] || data;
  if (address !== undefined)
    return {
      address,
      services: serviceDatabase ?? (env["FW_SERVICE_DATABASE"] || undefined),
      objects: placeOfObjects(place, cwd),
    };
  if (isBucket(place))
    throw new Refusal("objects in a bucket need --database: the database stores their names and types");
  return undefined;
}

/** Returns the address of a bucket, or an absolute path. */
export function placeOfObjects(text: string, cwd: string): string {
  if (isBucket(text)) return text;
  if (/^[a-z]+:\/\//i.test(text)) throw new Refusal(`"--objects" must be a directory or s3://bucket, not ${text}`);
  return resolve(cwd, text);
}

async function openDatabase(
  directory: string,
  { address, services, objects }: DatabaseSettings,
  app: App,
  reports: ServedReports,
  { env, signal, access }: OpenContext & Pick<DataSettings, "access">,
): Promise<ServedData> {
  const addressOf = services === undefined ? undefined : addressOfRole(services);
  const unlock = claimDirectory(directory);
  try {
    const { openPostgres } = await import("../../platform/postgres/open.ts");
    const platform = await openPostgres(address, withFrameworkKinds(definitionsOfModel(app), copyKinds), {
      bytes: await openBytes(objects, env),
      ...reports,
      signal,
      server: access,
      ...(addressOf && { addressOf }),
    });
    await refuseUnfinishedCopy(platform);
    const { serviceRoles } = await import("../../platform/postgres/service-access.ts");
    const useServices = async ({ app: { name }, grants }: BuiltModel): Promise<void> => {
      // A server's role sees only the role of its own service.
      const own = Object.entries(grants).filter(([service]) => access === undefined || access.server === service);
      await refusing(platform.useRoles(serviceRoles(name, own)));
    };
    const close = async (): Promise<void> => {
      await platform.close();
      unlock();
    };
    return {
      platform,
      inspected: platform,
      machineKeys: platform.machineKeys,
      reach: () => platform.reach(),
      recordSchema: (schema, options) => platform.recordSchema(schema, options),
      ...(addressOf && { useServices }),
      close,
    };
  } catch (error) {
    unlock();
    throw databaseRefusal(error);
  }
}

/** Refuses data that is an incomplete copy, after closing the platform. */
export async function refuseUnfinishedCopy(platform: Platform): Promise<void> {
  const origin = await unfinishedCopyOf(platform);
  if (origin === undefined) return;
  await platform.close();
  throw new Refusal(
    `this data is an unfinished copy of ${origin}: complete it with "fw data copy <from> <to> --final" first`,
  );
}

async function openBytes(objects: string, env: IO["env"]) {
  return (await import("../../platform/postgres/objects/open-bytes.ts")).openBytes(objects, env);
}

async function refusing(work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    throw databaseRefusal(error);
  }
}

export function databaseRefusal(error: unknown): unknown {
  const isExpected = isPlatformError(error, "data") || isPlatformError(error, "unreachable");
  return isExpected ? new Refusal(error.message) : error;
}

function addressOfRole(address: string): (role: string) => string {
  if (!address.includes("{role}"))
    throw new Refusal(`"--service-database" needs {role} as the user, such as postgres://{role}@db/notes`);
  return (role) => address.replaceAll("{role}", role);
}

/**
 * Creates, locks and marks the machine's own directory, for its copies of services and the connection file. Returns a
 * function that unlocks it.
 */
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
