import type { BuiltModel } from "../../topology/built-model.ts";
import { definitionsOfModel } from "../../topology/definitions.ts";
import { frontName } from "../../topology/machine-network.ts";
import type { Definitions } from "../../platform/contract.ts";
import type { ServerAccess, ServerRole, ServedModel } from "../../platform/postgres/server-access.ts";
import { Refusal } from "../command.ts";
import { databaseRefusal, type DatabaseSettings } from "./data.ts";
import { announcedCalls, type NetworkSettings } from "./network.ts";
import type { BuiltRelease } from "./release.ts";

/** The requirements of a build's machines for their database. */
export interface DatabaseNeeds {
  readonly definitions: Definitions;
  /** Identifies the requirements of the build. */
  readonly migration: string;
  /** The roles of the servers that run one service or a front, by the name of the service or `frontName`. */
  readonly servers: ReadonlyMap<string, ServerRole>;
}

export interface ServerDatabase {
  readonly database: DatabaseSettings;
  /** The access of the server's role; undefined for the owner of the tables. */
  readonly access: ServerAccess | undefined;
  readonly migration: string;
}

interface WaitOptions {
  readonly waitMs: number;
  readonly warn: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/** Derives what a build requires of a database. */
export async function databaseNeeds(model: Pick<BuiltModel, "app" | "grants">): Promise<DatabaseNeeds> {
  const { migrationId, serverRoles } = await import("../../platform/postgres/server-access.ts");
  const definitions = definitionsOfModel(model.app);
  const served: ServedModel = { ...model, calls: announcedCalls(model) };
  return { definitions, migration: migrationId(definitions, served), servers: serverRoles(served) };
}

/**
 * Returns a machine's connection to the database, and its access. On a machine that runs only some services, a role
 * that does not own the tables waits until the owner has prepared the database for the build. Refuses the role of
 * another server.
 */
export async function openRole(
  settings: DatabaseSettings,
  network: NetworkSettings | undefined,
  { model }: BuiltRelease,
  options: WaitOptions,
): Promise<ServerDatabase> {
  const { definitions, migration, servers } = await databaseNeeds(model);
  const server = network && servers.get(serverOf(network));
  const database = withRole(settings, server);
  // A machine with all services needs the owner's role, which `openServed` checks.
  if (network === undefined) return { database, access: undefined, migration };
  const { awaitMigration } = await import("../../platform/postgres/migration-check.ts");
  const needs = { build: migration, definitions, access: server?.access };
  try {
    const isRestricted = await awaitMigration(database.address, needs, options);
    return { database, access: isRestricted ? server?.access : undefined, migration };
  } catch (error) {
    throw databaseRefusal(error);
  }
}

/** Returns the name of a machine's server; "" if it runs several services. */
function serverOf({ services: [first, second] }: NetworkSettings): string {
  if (first === undefined) return frontName;
  return second === undefined ? first : "";
}

/** Replaces `{role}` with the name of a server's role. */
function withRole(settings: DatabaseSettings, server: ServerRole | undefined): DatabaseSettings {
  const { address } = settings;
  if (!address.includes("{role}")) return settings;
  if (server === undefined)
    throw new Refusal('"{role}" in the address of the database needs --front, or --service with one service');
  return { ...settings, address: address.replaceAll("{role}", server.role) };
}
