import { assertNever } from "../lib/assert-never.ts";
import type { App, Endpoint, Package } from "../model/app.ts";
import type { CompositeIndex, Entity } from "../model/entity.ts";

/** What `fw gen graph` prints: services, their routes, who gets in, and the domains. Plain JSON. */
export interface Graph {
  readonly app: string;
  readonly services: readonly GraphService[];
  /** The composite indexes that queries need; absent where they need none. */
  readonly indexes?: readonly GraphIndex[];
}

interface GraphIndex {
  readonly entity: string;
  /** Fields and directions, such as `placed desc`. */
  readonly fields: readonly string[];
  /** `module:line` of the code that needs it. */
  readonly neededBy: readonly string[];
}

interface GraphEntity {
  readonly name: string;
  readonly id: string;
  readonly indexed: readonly string[];
  readonly at: string;
}

interface GraphService {
  readonly name: string;
  readonly package: string;
  /** Relative to the application's root; "." for the root itself. */
  readonly dir: string;
  readonly profile: string;
  readonly domain: string | null;
  /** The site's directory. */
  readonly site: string | null;
  readonly routes: readonly GraphRoute[];
  /** Absent where the package declares none. */
  readonly entities?: readonly GraphEntity[];
}

interface GraphRoute {
  readonly method: string;
  readonly path: string;
  readonly kind: "api" | "page";
  readonly door: Door;
  /** Seconds. */
  readonly maxAge: number | null;
  /** `module:line` of the declaration. */
  readonly at: string;
}

/** Who gets in: everybody, whoever is signed in, those whom a policy admits, or other services only. */
type Door = { readonly kind: "public" | "signIn" | "private" } | { readonly kind: "policy"; readonly policy: string };

export function graph(app: App): Graph {
  const services = app.packages.map(service);
  return app.indexes === undefined
    ? { app: app.name, services }
    : { app: app.name, services, indexes: app.indexes.map(indexed) };
}

function indexed({ entity, fields, neededBy }: CompositeIndex): GraphIndex {
  return {
    entity,
    fields: fields.map(({ field, direction }) => `${field} ${direction}`),
    neededBy: neededBy.map(({ path, line }) => `${path}:${line}`),
  };
}

function entity({ name, id, indexed, declaration }: Entity): GraphEntity {
  const { module, at } = declaration;
  return { name, id, indexed: indexed.map((field) => field.name), at: `${module}:${at.line}` };
}

function service({ name, dir, service, settings, site, endpoints, entities }: Package): GraphService {
  return {
    name: service,
    package: name,
    dir: dir === "" ? "." : dir,
    profile: settings?.profile ?? "default",
    domain: settings?.domain ?? null,
    site: site?.dir ?? null,
    routes: endpoints.map(route),
    ...(entities === undefined ? {} : { entities: entities.map(entity) }),
  };
}

function route(endpoint: Endpoint): GraphRoute {
  const { pattern, method } = endpoint.route;
  const { module, at } = endpoint.declaration;
  return {
    method,
    path: pattern.slice(pattern.indexOf("/")),
    kind: endpoint.kind,
    door: door(endpoint),
    maxAge: endpoint.settings.maxAge ?? null,
    at: `${module}:${at.line}`,
  };
}

function door({ settings }: Endpoint): Door {
  if (settings.allow !== undefined) return { kind: "policy", policy: settings.allow.variable };
  if (settings.private) return { kind: "private" };
  return { kind: settings.signIn ? "signIn" : "public" };
}

/** The graph for a person: one paragraph a service, one line a route. */
export function graphText({ services, indexes = [] }: Graph): string {
  const parts = services.map((each) => [serviceLine(each), ...routeLines(each.routes), ...entityLines(each)]);
  if (indexes.length > 0) parts.push(["indexes", ...indexes.map(indexLine)]);
  return parts.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

function entityLines({ entities = [] }: GraphService): string[] {
  return entities.map(({ name, indexed, at }) => {
    return `  entity ${name}  ${indexed.length === 0 ? "no indexes" : `by ${indexed.join(", ")}`}  ${at}`;
  });
}

function indexLine({ entity, fields, neededBy }: GraphIndex): string {
  return `  ${entity}  (${fields.join(", ")})  ${neededBy.join(" ")}`;
}

function serviceLine({ name, dir, profile, domain, site }: GraphService): string {
  const facts = [dir, `profile ${profile}`, domain ?? "no domain", ...(site === null ? [] : [`site ${site}`])];
  return `${name}  (${facts.join(", ")})`;
}

function routeLines(routes: readonly GraphRoute[]): string[] {
  const rows = routes.map((each) => [
    each.method,
    each.path,
    each.kind,
    doorText(each.door),
    cacheText(each.maxAge),
    each.at,
  ]);
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd());
}

function doorText(door: Door): string {
  switch (door.kind) {
    case "public":
      return "public";
    case "signIn":
      return "signed in";
    case "private":
      return "other services";
    case "policy":
      return `policy ${door.policy}`;
    default:
      return assertNever(door);
  }
}

function cacheText(maxAge: number | null): string {
  return maxAge === null ? "" : `cached ${maxAge}s`;
}
