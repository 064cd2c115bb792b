import { setTimeout as wait } from "node:timers/promises";
import { messageOf } from "../../lib/thrown.ts";
import type { Definitions } from "../contract.ts";
import { readDefinitions } from "../definitions.ts";
import { PlatformError } from "../errors.ts";
import { inboxOf } from "../local/messages/inbox.ts";
import { readAddress } from "./address.ts";
import { Connections } from "./connections.ts";
import { loadDriver } from "./driver.ts";
import { sqlState } from "./failures.ts";
import { missingIndex } from "./indexes.ts";
import { Registry } from "./registry.ts";
import { isLaterSchema, revision } from "./schema.ts";
import { missingServerAccess, type ServerAccess } from "./server-access.ts";

/** Interval in milliseconds between checks of a database that is not yet prepared. */
const lookMs = 1_000;

/** Interval in milliseconds at which the reason for waiting is repeated. */
const remindMs = 60_000;

/** A server's requirements for a database that another process prepares. */
export interface ServerNeeds {
  /** Identifies what the build requires of the database. */
  readonly build: string;
  readonly definitions: Definitions;
  /** Undefined for a machine that runs several services, which needs the role that owns the tables. */
  readonly access: ServerAccess | undefined;
}

interface WaitOptions {
  /** The maximum wait in milliseconds. */
  readonly waitMs: number;
  /** Receives messages for operators. */
  readonly warn: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/**
 * `owner` if the connecting role owns the tables or may create them; otherwise `ready`, or why the server must wait.
 */
type Check = "owner" | "ready" | { readonly problem: string };

/**
 * Resolves with false if the role in `address` owns the tables or may create them. For a server's own role, resolves
 * with true once the owner has prepared the database. Throws a PlatformError `data` if the role belongs to another
 * server, or after `waitMs`.
 */
export async function awaitMigration(
  address: string,
  needs: ServerNeeds,
  { waitMs, warn, signal }: WaitOptions,
): Promise<boolean> {
  const connections = new Connections(await loadDriver(), { ...readAddress(address), connections: 2 }, undefined);
  const started = performance.now();
  let warned: string | undefined;
  let warnedAt = -Infinity;
  try {
    for (;;) {
      signal.throwIfAborted();
      const check = await checkMigration(connections, needs);
      if (typeof check === "string") return check === "ready";
      const sentence = `the database is not prepared for this build: ${check.problem}; run "fw serve --migrate" with this build and the role that owns the tables`;
      const now = performance.now();
      if (now - started >= waitMs) throw new PlatformError("data", sentence);
      if (sentence !== warned || now - warnedAt >= remindMs) {
        warn(`${sentence}. The server waits for it`);
        [warned, warnedAt] = [sentence, now];
      }
      await wait(Math.min(lookMs, waitMs), undefined, { signal });
    }
  } finally {
    await connections.close();
  }
}

async function checkMigration(connections: Connections, needs: ServerNeeds): Promise<Check> {
  try {
    return await checkTables(connections, needs);
  } catch (error) {
    const state = sqlState(error) ?? "";
    // The role cannot log in yet, or the tables are missing or unreadable.
    if (/^(?:28...|42501|42P01|3F000)$/.test(state)) return { problem: messageOf(error) };
    throw error;
  }
}

async function checkTables(connections: Connections, needs: ServerNeeds): Promise<Check> {
  const [tables] = await connections.runRepeatable(
    `SELECT has_table_privilege(c.oid, 'UPDATE') AS writes FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = 'numbers'`,
    [connections.address.schema],
  );
  if (tables?.["writes"] === true) return "owner";
  if (tables === undefined) return (await canCreate(connections)) ? "owner" : { problem: "it has no tables" };
  const access = await readOwnAccess(connections);
  if (access === undefined) return { problem: "the role of FW_DATABASE has no grants" };
  refuseOther(needs, access);
  const problem = await problemOf(connections, { ...needs, access: needs.access as ServerAccess }, access);
  return problem === undefined ? "ready" : { problem };
}

/** True if the role may create the tables, as an owner does on the first start. */
async function canCreate(connections: Connections): Promise<boolean> {
  const [row] = await connections.runRepeatable(
    `SELECT has_database_privilege(current_database(), 'CREATE')
       OR EXISTS (SELECT FROM pg_namespace n WHERE n.nspname = $1 AND has_schema_privilege(n.oid, 'CREATE')) AS creates`,
    [connections.address.schema],
  );
  return row?.["creates"] === true;
}

async function readOwnAccess(connections: Connections): Promise<ServerAccess | undefined> {
  const [row] = await connections.runRepeatable("SELECT access FROM @@service_roles WHERE role = current_user");
  const access = row && (JSON.parse(String(row["access"])) as Partial<ServerAccess>);
  return access?.server === undefined ? undefined : (access as ServerAccess);
}

function refuseOther({ access }: ServerNeeds, { server }: ServerAccess): void {
  if (access?.server === server) return;
  const machine = server.startsWith("fw:") ? "that is a front" : `that runs only the service ${server}`;
  throw new PlatformError(
    "data",
    `the role of FW_DATABASE is for a machine ${machine}: use this machine's role, or the one that owns the tables`,
  );
}

/** Explains what the database lacks; returns undefined if it lacks nothing. */
async function problemOf(
  connections: Connections,
  { build, definitions, access }: ServerNeeds & { readonly access: ServerAccess },
  grants: ServerAccess,
): Promise<string | undefined> {
  const [versions] = await connections.runRepeatable(
    `SELECT
    (SELECT value FROM @@numbers WHERE name = 'schema') AS tables,
    (SELECT value FROM @@numbers WHERE name = 'revision') AS revision,
    EXISTS (SELECT build FROM @@migrations WHERE build = $1) AS migrated`,
    [build],
  );
  if (isLaterSchema(versions?.["tables"]))
    throw new PlatformError("data", "the tables were made by a later version of fw; install that version");
  if (Number(versions?.["revision"] ?? 1) < revision) return "its tables are those of an earlier version of fw";
  if (versions?.["migrated"] !== true) return "it was prepared for another build";
  const missing = missingServerAccess(access, grants);
  if (missing !== undefined) return `the role of FW_DATABASE is not granted ${missing.replace("\n", " ").trim()}`;
  const index = missingIndex(await Registry.read(connections), readDefinitions(definitions));
  return index ?? (await missingSubscriber(connections, definitions));
}

async function missingSubscriber(
  connections: Connections,
  { consumers = [] }: Definitions,
): Promise<string | undefined> {
  const inboxes = consumers.map(inboxOf).filter(({ consumer }) => consumer !== "");
  const rows = await connections.runRepeatable("SELECT carrier, receiver FROM @@subscribers");
  const present = new Set(rows.map(({ carrier, receiver }) => `${String(carrier)} ${String(receiver)}`));
  const missing = inboxes.find(({ destination, consumer }) => !present.has(`${destination} ${consumer}`));
  return missing && `the subscriber ${missing.consumer} is not registered`;
}
