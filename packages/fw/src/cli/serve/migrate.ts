import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../../declare/context.ts";
import { readSchema } from "../../evolution/recorded.ts";
import type { PostgresPlatform } from "../../platform/postgres/open.ts";
import type { BuildRoles } from "../../platform/postgres/roles.ts";
import { copyKinds } from "../../platform/transfer/copy.ts";
import { servicesDirectory } from "../../workspace/branch-data.ts";
import { Refusal, type ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { stopRequests } from "../stop.ts";
import { withFrameworkKinds } from "../data/open.ts";
import { refuseMisfitStart, refuseStrandedMessages } from "./data-changes.ts";
import { databaseRefusal, refuseUnfinishedCopy, type DatabaseSettings } from "./data.ts";
import { readRelease, type BuiltRelease } from "./release.ts";
import { serverLog } from "./run.ts";
import { databaseNeeds, type DatabaseNeeds } from "./server-role.ts";
import { fetchServed, schemaOf } from "./shared-schema.ts";
import { upgradeInOrder } from "./upgrade-order.ts";

interface MigrateSettings {
  readonly database: DatabaseSettings;
  /** The directory of a server of this machine, if there is one. */
  readonly data: string;
  readonly acceptDataChanges: boolean;
  /**
   * A directory that holds, in a file named after each server's role, the address with the role's password; undefined
   * to set no passwords.
   */
  readonly passwords: string | undefined;
}

/** Prepares a database for a build. SIGTERM and SIGINT abort the migration. */
export async function runMigration(settings: MigrateSettings, build: string, io: IO): Promise<ExitCode> {
  const release = readRelease(build);
  const log = serverLog(io);
  const stopping = stopRequests((stop) => io.onSignals(["SIGTERM", "SIGINT"], stop));
  const ending = new AbortController();
  void stopping.first.then(() => ending.abort(new Error("the migration is stopping")));
  try {
    await migrateDatabase(settings, release, { log, signal: ending.signal });
    log.info("prepared", { app: release.model.app.name, build: release.directory });
    return 0;
  } catch (error) {
    if (ending.signal.aborted) throw new Refusal("the database is not prepared: the command was stopped; run it again");
    throw error;
  } finally {
    stopping.done();
  }
}

interface MigrationContext {
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/**
 * Prepares a database for the servers of a build: tables, indexes, subscribers, and a role for each server. Like a
 * server's start, refuses a build that cannot read the data of the last version.
 */
async function migrateDatabase(
  settings: MigrateSettings,
  release: BuiltRelease,
  context: MigrationContext,
): Promise<void> {
  const { database, data, acceptDataChanges } = settings;
  const warn = (sentence: string): void => context.log.warn(sentence);
  const { last = readSchema(servicesDirectory(data)), isRunning } = await fetchServed(database, release);
  for (const sentence of refuseMisfitStart(release, last, acceptDataChanges || isRunning)) warn(sentence);
  const needs = await databaseNeeds(release.model);
  // Read the passwords before anything changes.
  const passwords = readPasswords(settings.passwords, new Set([...needs.servers.values()].map(({ role }) => role)));
  const platform = await openDatabase(settings, needs.definitions, context);
  try {
    await refuseUnfinishedCopy(platform);
    for (const sentence of await refuseStrandedMessages(release, last, platform, acceptDataChanges)) warn(sentence);
    await upgradeInOrder({ platform, warn, signal: context.signal }, () =>
      grantAndRecord(platform, release, { ...needs, passwords, addsServices: database.services !== undefined }),
    );
  } catch (error) {
    throw databaseRefusal(error);
  } finally {
    await platform.close();
  }
  for (const { role, access } of needs.servers.values()) context.log.info("role", { server: access.server, role });
}

/** Opens the database, which creates its tables and fills its indexes. */
async function openDatabase(
  { database, data }: MigrateSettings,
  definitions: DatabaseNeeds["definitions"],
  { log, signal }: MigrationContext,
): Promise<PostgresPlatform> {
  const { openPostgres } = await import("../../platform/postgres/open.ts");
  const { bytesOnDisk } = await import("../../platform/postgres/objects/bytes.ts");
  try {
    return await openPostgres(database.address, withFrameworkKinds(definitions, copyKinds), {
      // A migration neither reads nor deletes objects.
      bytes: bytesOnDisk(data),
      keepsHouse: false,
      warn: (sentence) => log.warn(sentence),
      note: (sentence) => log.info(sentence),
      signal,
    });
  } catch (error) {
    throw databaseRefusal(error);
  }
}

async function grantAndRecord(
  platform: PostgresPlatform,
  release: BuiltRelease,
  { migration, servers, ...roles }: DatabaseNeeds & Pick<BuildRoles, "passwords" | "addsServices">,
): Promise<void> {
  const { serviceRoles } = await import("../../platform/postgres/service-access.ts");
  const { app, grants } = release.model;
  const services = serviceRoles(app.name, Object.entries(grants));
  await platform.grantRoles({ ...roles, build: migration, servers: [...servers.values()], services });
  const schema = schemaOf(release);
  if (schema !== undefined) await platform.recordSchema(schema, { migration });
}

function readPasswords(directory: string | undefined, roles: ReadonlySet<string>): ReadonlyMap<string, string> {
  if (directory === undefined) return new Map();
  const files = readdirSync(directory).filter((name) => roles.has(name));
  const missing = [...roles].find((role) => !files.includes(role));
  if (missing !== undefined) throw new Refusal(`${directory} has no file ${missing} with the address of that server`);
  return new Map(files.map((role) => [role, passwordIn(join(directory, role))]));
}

function passwordIn(path: string): string {
  const address = readFileSync(path, "utf8").trim();
  const password = URL.canParse(address) ? decodeURIComponent(new URL(address).password) : "";
  if (/^[\x20-\x7e]+$/.test(password)) return password;
  throw new Refusal(`${path} must be an address with a password of ASCII characters: postgres://{role}:...@host/name`);
}
