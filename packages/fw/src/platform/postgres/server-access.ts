import { createHash } from "node:crypto";
import { eventName } from "../../lib/events.ts";
import { allOfKind, consumersOf } from "../../model/declarations.ts";
import type { App } from "../../model/app.ts";
import { frontUses } from "../../model/framework-uses.ts";
import { readingOperations } from "../../model/grants.ts";
import { clientServicesOf, servicesOf } from "../../model/services.ts";
import type { Definitions } from "../contract.ts";
import { readDefinitions } from "../definitions.ts";
import type { PlatformGrant } from "../grants.ts";
import { inboxName, inboxOf } from "../local/messages/inbox.ts";
import type { Calls } from "../machine-keys.ts";
import { tickKind } from "../tick-kind.ts";
import { indexesOf } from "../required-indexes.ts";
import {
  accessOf,
  joinedAccess,
  joinedLists,
  missingAccess,
  roleName,
  serviceRoleName,
  unique,
  type ServiceAccess,
} from "./service-access.ts";

/** The access of a service's server: the service's own, and what fw's work for the service needs. */
export interface ServerAccess extends ServiceAccess {
  /** The service, or the name for fronts. */
  readonly server: string;
  /** Kinds of documents that the server may only read. */
  readonly reads: readonly string[];
  /** The crons whose ticks the server claims. */
  readonly crons: readonly string[];
  /** The inboxes from which the server delivers, formatted by `inboxName`. */
  readonly inboxes: readonly string[];
  /** The consumers whose dead letters the server writes. */
  readonly consumers: readonly string[];
  /** The names of the application's keys that the server reads. */
  readonly secrets: readonly string[];
  /** The services that the server's own service may call. */
  readonly callees: readonly string[];
}

export interface ServerRole {
  readonly role: string;
  /** The role of the server's service, which operations of the service's code can use instead; undefined for fronts. */
  readonly serviceRole: string | undefined;
  readonly access: ServerAccess;
}

/** The parts of a build that determine the access of its servers. */
export interface ServedModel {
  readonly app: App;
  readonly grants: Readonly<Record<string, readonly PlatformGrant[]>>;
  /** The services that each service and the fronts may call. */
  readonly calls: Calls;
}

/** The suffixes of servers' role names. Roles of services contain no hyphen. */
const serverSuffix = "-server";
const frontSuffix = "-front";

/** Returns the roles of each service's server and of fronts, by the server's name. */
export function serverRoles({ app, grants, calls }: ServedModel): ReadonlyMap<string, ServerRole> {
  const services = new Set(servicesOf(app).map(({ name }) => name));
  return new Map(
    Object.keys(calls).map((server): [string, ServerRole] => {
      const callees = [...(calls[server] ?? [])].toSorted();
      if (!services.has(server)) {
        const access = frontAccess(app, server, callees);
        return [server, { role: roleName(app.name, frontSuffix), serviceRole: undefined, access }];
      }
      const access = accessOfServer(app, server, grants[server] ?? [], callees);
      const role = roleName(`${app.name}_${server}`, serverSuffix);
      return [server, { role, serviceRole: serviceRoleName(app.name, server), access }];
    }),
  );
}

/** Returns the first needed resource that the grants lack, for use in a message; undefined if they lack none. */
export function missingServerAccess(needs: ServerAccess, grants: ServerAccess): string | undefined {
  const missing = missingAccess(needs, grants);
  if (missing !== undefined) return missing;
  const readable = [...grants.kinds, ...grants.reads];
  return (
    needs.reads.find((kind) => !readable.includes(kind)) ??
    serverLists.flatMap((list) => needs[list].filter((name) => !grants[list].includes(name)))[0]
  );
}

const serverLists = ["crons", "inboxes", "consumers", "secrets", "callees"] as const;

/** Returns the access that a server needs for either of two builds. */
export function joinedServerAccess(one: ServerAccess, other: ServerAccess): ServerAccess {
  const access = joinedAccess(one, other);
  return {
    ...access,
    server: one.server,
    reads: unique([...one.reads, ...other.reads]).filter((kind) => !access.kinds.includes(kind)),
    ...joinedLists(serverLists, one, other),
  };
}

/** Identifies what a build requires of the database: its indexes, its subscribers and its servers' access. */
export function migrationId(definitions: Definitions, model: ServedModel): string {
  const indexes = [...readDefinitions(definitions).values()].flatMap((kind) =>
    indexesOf(kind).map(({ identity, properties }) =>
      JSON.stringify([identity, properties.map(({ property }) => kind.indexed.get(property)?.unique === true)]),
    ),
  );
  const inboxes = (definitions.consumers ?? []).map((consumer) => inboxName(inboxOf(consumer)));
  const needs = [indexes.toSorted(), inboxes.toSorted(), [...serverRoles(model).values()]];
  return createHash("sha256").update(JSON.stringify(needs)).digest("base64url");
}

/** Returns the name of the lease under which a server's machines delete expired data, one at a time. */
export function housekeepingLease({ server }: ServerAccess): string {
  return `${housekeepingName(server)} housekeeping`;
}

function housekeepingName(server: string): string {
  return `_fw:${server}`;
}

function frontAccess(app: App, server: string, callees: readonly string[]): ServerAccess {
  const grants = frontUses(app).flatMap(({ kind, name, operations }) =>
    operations.map((operation): PlatformGrant => ({ kind, name, operation })),
  );
  const access = accessOf(grants);
  const secrets = grants.length > 0 ? ["csrf"] : [];
  const leases = [...access.leases, housekeepingName(server)];
  return { ...access, leases, server, reads: [], crons: [], inboxes: [], consumers: [], secrets, callees };
}

function accessOfServer(
  app: App,
  server: string,
  grants: readonly PlatformGrant[],
  callees: readonly string[],
): ServerAccess {
  const access = accessOf(grants);
  const crons = allOfKind(
    app.packages.filter(({ service }) => service === server),
    "cron",
  ).map(({ name }) => name);
  const consumers = app.packages.flatMap(consumersOf).filter(({ service }) => service === server);
  const hasClients = clientServicesOf(app).includes(server);
  return {
    ...access,
    ...kindsOf(grants),
    server,
    carriers: unique([...access.carriers, ...consumers.flatMap(({ source }) => deadEvents(source))]),
    leases: unique([...access.leases, housekeepingName(server), ...crons.map((cron) => `cron:${cron}`)]),
    crons: unique(crons),
    inboxes: unique(consumers.map(({ service, source }) => inboxName(inboxOf({ id: service, destination: source })))),
    consumers: unique(consumers.map(({ service }) => service)),
    secrets: [...secretsOf(access), ...(hasClients ? ["csrf"] : [])],
    callees,
  };
}

/** Separates kinds that are written from kinds that are only read. Omits the ticks of crons, which a policy covers. */
function kindsOf(grants: readonly PlatformGrant[]): Pick<ServerAccess, "kinds" | "reads"> {
  const entities = grants.filter(({ kind, name }) => kind === "entity" && name !== tickKind);
  const writes = entities.filter(({ operation }) => !readingOperations.has(operation));
  const kinds = unique(writes.map(({ name }) => name));
  return { kinds, reads: unique(entities.map(({ name }) => name)).filter((kind) => !kinds.includes(kind)) };
}

/** Returns the names of the application's keys that the platform's operations need. */
function secretsOf({ kinds, accounts, buckets }: ServiceAccess): readonly string[] {
  return [
    ...(kinds.length > 0 || accounts !== "none" ? ["cursor"] : []),
    ...(accounts === "none" ? [] : ["token"]),
    ...(buckets.length > 0 ? ["signed urls"] : []),
  ];
}

/** Returns the events that a server sends for dead letters of the destination, named as in message rows. */
function deadEvents({ kind, name }: { readonly kind: string; readonly name: string }): readonly string[] {
  return kind === "queue" || kind === "topic" ? [`event:${eventName(`dead.${kind}`, name)}`] : [];
}
