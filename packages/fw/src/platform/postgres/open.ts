import { randomBytes } from "node:crypto";
import { systemClock } from "../clock.ts";
import type { Clock, Definitions, Platform, Redefinition } from "../contract.ts";
import { type Kinds, readDefinitions } from "../definitions.ts";
import { PlatformError } from "../errors.ts";
import type { Ports } from "../lifetime.ts";
import type { Secrets } from "../local/keys.ts";
import type { InspectedPlatform, LocalOptions } from "../local/open.ts";
import type { MachineKeys } from "../machine-keys.ts";
import { endingWith } from "../ports-until.ts";
import type { MessageTransfer } from "../transfer/messages.ts";
import type { AccountTransfer } from "../transfer/record.ts";
import { PostgresAccounts } from "./accounts.ts";
import { readAddress } from "./address.ts";
import type { ChangeOptions } from "./changed-tables.ts";
import { PostgresChanges } from "./changes.ts";
import { Connections } from "./connections.ts";
import { DefinedKinds } from "./definitions.ts";
import { loadDriver } from "./driver.ts";
import { PostgresEntities } from "./entities.ts";
import { Housekeeping } from "./housekeeping.ts";
import { Indexes } from "./indexes.ts";
import { PostgresLeases } from "./leases.ts";
import { PostgresMachineKeys } from "./machine-keys.ts";
import { PostgresMessageTransfer } from "./messages/message-transfer.ts";
import { PostgresMessages } from "./messages/messages.ts";
import type { ObjectBytes } from "./objects/bytes.ts";
import { PostgresObjects } from "./objects/objects.ts";
import { type BuildRoles, grantRoles } from "./roles.ts";
import { migrate } from "./schema.ts";
import { type RecordOptions, ServedVersion } from "./served-schema.ts";
import { housekeepingLease, type ServerAccess } from "./server-access.ts";
import type { ServiceRole } from "./service-access.ts";
import { ServiceRoles } from "./service-roles.ts";

const names = ["cursor", "token", "signed urls", "csrf"] as const;

const keyBytes = 32;

/** A PostgreSQL platform for one of the machines that share a database. */
export interface PostgresPlatform extends InspectedPlatform {
  readonly secret: Secrets;
  /** Exports and imports accounts with their password hashes. */
  readonly transfer: AccountTransfer;
  /** Gives access to all messages, for copying them while no process delivers them. */
  messageTransfer(): MessageTransfer;
  prepare: NonNullable<Platform["prepare"]>;
  /** Records the schema of the application's version that this machine now runs. */
  recordSchema(schema: string, options?: RecordOptions): Promise<void>;
  readonly machineKeys: MachineKeys;
  /** Rejects if the database cannot be reached. */
  reach(): Promise<void>;
  /** Returns the same platform for code built with these definitions, which must be committed or prepared. */
  builtWith(definitions: Definitions): PostgresPlatform;
  /**
   * Returns the same platform, accessed through connections of a service's role. Present on the result of `builtWith`
   * if `addressOf` is set.
   */
  as?(service: string): Platform;
  /**
   * Connects services through their roles. Throws a PlatformError `data` if a role lacks access that its service needs.
   */
  useRoles(roles: readonly ServiceRole[]): Promise<void>;
  /**
   * Prepares the database for servers that connect with their own roles. Throws a PlatformError `data` if the owner of
   * the tables may not create roles.
   */
  grantRoles(roles: BuildRoles): Promise<void>;
}

export interface PostgresOptions extends Pick<LocalOptions, "random" | "warn" | "note" | "signal"> {
  readonly bytes: ObjectBytes;
  /** A clock for tests. By default, documents follow this machine's clock, and leases and messages the database's. */
  readonly clock?: Clock;
  /** Returns the address at which a database role connects. By default, services have no roles. */
  readonly addressOf?: (role: string) => string;
  /** False for a process that only prepares the database and so does not delete expired data. */
  readonly keepsHouse?: boolean;
  /** The access of the role in the address, if it is the role of one service's server or of a front. */
  readonly server?: ServerAccess | undefined;
}

/**
 * Opens the application's data at `postgres://…`. Creates missing tables unless `server` is set, because a migration
 * has then created them. Throws a PlatformError `data` if this fw cannot use the address or the schema, and
 * `unreachable` if no server responds.
 */
export async function openPostgres(
  address: string,
  definitions: Definitions,
  { bytes, clock, random, warn = () => {}, note = () => {}, addressOf, server, signal, ...options }: PostgresOptions,
): Promise<PostgresPlatform> {
  const kinds = readDefinitions(definitions);
  const driver = await loadDriver();
  const connections = new Connections(driver, readAddress(address), clock, server === undefined);
  try {
    if (server === undefined) await migrate(connections, { note, signal });
    const openRole = (url: string): Connections => new Connections(driver, readAddress(url), clock, false);
    const opened = portsOf({
      connections,
      secret: await openSecrets(connections),
      indexes: await Indexes.open(connections, { warn, note }),
      messages: new PostgresMessages(connections, clock ?? systemClock, random),
      bytes,
      clock: clock ?? systemClock,
      served: new ServedVersion(connections),
      roles: addressOf && new ServiceRoles((role) => openRole(addressOf(role))),
      lease: server === undefined ? "_fw housekeeping" : housekeepingLease(server),
      keepsHouse: options.keepsHouse !== false,
      tableChanges: { note, signal },
    });
    const platform = platformOf(opened);
    await opened.start(kinds, definitions, signal);
    return platform;
  } catch (error) {
    await connections.close();
    throw error;
  }
}

interface OpenParts {
  readonly connections: Connections;
  readonly secret: Secrets;
  readonly indexes: Indexes;
  readonly messages: PostgresMessages;
  readonly bytes: ObjectBytes;
  readonly clock: Clock;
  readonly served: ServedVersion;
  readonly roles: ServiceRoles | undefined;
  readonly lease: string;
  readonly keepsHouse: boolean;
  readonly tableChanges: ChangeOptions;
}

function storesOf(parts: OpenParts, kinds: DefinedKinds) {
  const { connections, secret, indexes, messages, bytes, clock } = parts;
  const changes = new PostgresChanges(connections.listener, kinds);
  const sent = messages.wake.bind(messages);
  const entities = new PostgresEntities({
    connections,
    kinds,
    indexes,
    clock,
    cursorKey: () => secret("cursor"),
    sent,
    notify: changes.notify,
  });
  const signingKey = (): Uint8Array => secret("signed urls");
  const objects = new PostgresObjects({ connections, clock, bytes, signingKey, sent }, []);
  return { entities, objects, leases: new PostgresLeases(connections), changes };
}

function portsOf(parts: OpenParts) {
  const { connections, secret, indexes, messages, clock } = parts;
  const kinds = new DefinedKinds();
  const { changes, ...stores } = storesOf(parts, kinds);
  const { objects } = stores;
  const housekeeping = new Housekeeping({ ...parts, ...stores });
  const prepare: Prepare = (...change) => prepareOn({ ...parts, kinds, objects }, ...change);
  return {
    ...parts,
    ...stores,
    accounts: new PostgresAccounts(connections, clock, secret),
    changes: connections.listener.canListen ? changes : undefined,
    prepare,
    start: async (...change: Parameters<Prepare>): Promise<void> => {
      await (await prepare(...change)).commit();
      if (parts.keepsHouse) housekeeping.start();
    },
    close: async (): Promise<void> => {
      housekeeping.stop();
      await messages.close();
      await objects.close();
      await parts.roles?.close();
      await indexes.close();
      await parts.served.close();
      await connections.close();
    },
  };
}

type Prepare = (own: Kinds, definitions: Definitions, signal?: AbortSignal) => Promise<Redefinition>;

interface PreparedParts extends Pick<OpenParts, "connections" | "indexes" | "messages"> {
  readonly kinds: DefinedKinds;
  readonly objects: PostgresObjects;
}

async function prepareOn(
  { connections, indexes, messages, kinds, objects }: PreparedParts,
  ...[own, { consumers = [], buckets = [] }, signal]: Parameters<Prepare>
): Promise<Redefinition> {
  connections.refuseIfClosed();
  messages.check(consumers);
  const prepared = await indexes.prepare(own, signal);
  kinds.prepare(own);
  const forbidBuckets = objects.allow(buckets);
  return {
    commit: async () => {
      kinds.commit(own);
      await Promise.all([prepared.commit(), messages.redefine(consumers)]);
    },
    abandon: () => {
      forbidBuckets();
      kinds.forget(own);
    },
  };
}

function platformOf(opened: ReturnType<typeof portsOf>): PostgresPlatform {
  const { connections, entities, leases, accounts, objects, messages, changes, clock, secret } = opened;
  let closing: Promise<void> | undefined;
  const ports: Ports = { entities, leases, accounts, objects, messages };
  const bound = (own: Ports): PostgresPlatform => ({
    ...platform,
    ...own,
    until: (lifetime) => endingWith(lifetime, () => own),
  });
  const platform: PostgresPlatform = {
    ...ports,
    dispatcher: messages,
    ...(changes && { changes }),
    clock,
    secret,
    transfer: accounts,
    messageTransfer: () => new PostgresMessageTransfer(connections),
    machineKeys: new PostgresMachineKeys(connections),
    until: (lifetime) => {
      connections.refuseIfClosed();
      return endingWith(lifetime, () => ports);
    },
    fills: () => opened.indexes.fills(),
    prepare: (definitions, signal) => opened.prepare(readDefinitions(definitions), definitions, signal),
    builtWith: (definitions) => {
      const ownKinds = readDefinitions(definitions);
      const built = bound({ ...ports, entities: entities.builtWith(ownKinds) });
      const { roles } = opened;
      if (roles === undefined) return built;
      const services = new Map<string, Platform>();
      const as = (service: string): Platform => {
        const existing = services.get(service);
        if (existing !== undefined) return existing;
        const rolePorts = roles.portsOf(service, ownKinds, opened);
        // The caller is not a service but, for example, an operator's command.
        if (rolePorts === undefined) return built;
        const platformOfRole = bound(rolePorts);
        services.set(service, platformOfRole);
        return platformOfRole;
      };
      return { ...built, as };
    },
    grantRoles: (roles) => grantRoles(connections, roles, opened.tableChanges),
    useRoles: async (serviceRoles) => opened.roles?.use(connections, serviceRoles),
    recordSchema: (schema, options) => opened.served.record(schema, options),
    reach: () => connections.ping(),
    close: () => (closing ??= opened.close()),
  };
  return platform;
}

/**
 * Opens the application's keys, which all machines share; the first machine creates them. A role that does not own the
 * tables can read only the keys that it needs.
 */
async function openSecrets(connections: Connections): Promise<Secrets> {
  const secrets = await readSecrets(connections);
  if (!connections.isOwner || names.every((name) => secrets.has(name))) return secretsOf(secrets);
  await connections.write("", async (sql) => {
    await sql.rows("INSERT INTO @@secrets SELECT * FROM unnest($1::text[], $2::bytea[]) ON CONFLICT DO NOTHING", [
      [...names],
      names.map(() => randomBytes(keyBytes)),
    ]);
  });
  return secretsOf(await readSecrets(connections));
}

async function readSecrets(connections: Connections): Promise<ReadonlyMap<string, Uint8Array>> {
  const rows = await connections.runRepeatable("SELECT name, value FROM @@secrets");
  return new Map(rows.map(({ name, value }) => [String(name), value as unknown as Uint8Array]));
}

/**
 * Returns the function that looks up a key. It throws for a missing key, because anyone could forge what an empty key
 * signs.
 */
function secretsOf(secrets: ReadonlyMap<string, Uint8Array>): Secrets {
  return (name) => {
    const secret = secrets.get(name);
    if (secret?.length === keyBytes) return secret;
    const todo = 'run "fw serve --migrate" with the role that owns the tables';
    throw new PlatformError("data", `the role of the database cannot read the key for ${name}: ${todo}`);
  };
}
