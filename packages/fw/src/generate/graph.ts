import type { App, Endpoint, Package } from "../model/app.ts";
import { endpointsOf, settingsOf, siteOf } from "../model/declarations.ts";
import type { CompositeIndex } from "../model/entity.ts";
import { declarationLines, graphDeclarations, type GraphDeclarations } from "./graph-declarations.ts";
import { servicesIn } from "../model/services.ts";
import { type Door, doorsOf, doorText } from "./graph-door.ts";
import { graphScaling, scalingLines, type GraphScaling } from "./graph-scaling.ts";

/** What `fw gen graph` prints: services, their routes, who gets in, background work, and the domains. Plain JSON. */
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

interface GraphService extends GraphDeclarations {
  readonly name: string;
  readonly package: string;
  /** Relative to the application's root; "." for the root itself. */
  readonly dir: string;
  readonly profile: string;
  readonly domain: string | null;
  /** The site's directory. */
  readonly site: string | null;
  readonly routes: readonly GraphRoute[];
  /** What each service of the package runs on. */
  readonly scaling: readonly GraphScaling[];
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

export function graph(app: App): Graph {
  const doorOf = doorsOf(app);
  const declared = graphDeclarations(app);
  const services = app.packages.map((pkg) => ({ ...service(pkg, doorOf), ...declared(pkg) }));
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

function service(pkg: Package, doorOf: (endpoint: Endpoint) => Door): GraphService {
  const { name, dir, service } = pkg;
  const settings = settingsOf(pkg);
  return {
    name: service,
    package: name,
    dir: dir === "" ? "." : dir,
    profile: settings?.profile ?? "default",
    domain: settings?.domain ?? null,
    site: siteOf(pkg)?.dir ?? null,
    routes: endpointsOf(pkg).map((endpoint) => route(endpoint, doorOf(endpoint))),
    scaling: servicesIn(pkg).map(graphScaling),
  };
}

function route(endpoint: Endpoint, door: Door): GraphRoute {
  const { pattern, method } = endpoint.route;
  const { module, at } = endpoint.declaration;
  return {
    method,
    path: pattern.slice(pattern.indexOf("/")),
    kind: endpoint.kind,
    door,
    maxAge: endpoint.settings.maxAge ?? null,
    at: `${module}:${at.line}`,
  };
}

/** The graph for a person: one paragraph a service, one line a route. */
export function graphText({ services, indexes = [] }: Graph): string {
  const parts = services.map((each) => [
    serviceLine(each),
    ...routeLines(each.routes),
    ...declarationLines(each),
    ...scalingLines(each.scaling),
  ]);
  if (indexes.length > 0) parts.push(["indexes", ...indexes.map(indexLine)]);
  return parts.map((lines) => `${lines.join("\n")}\n`).join("\n");
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

function cacheText(maxAge: number | null): string {
  return maxAge === null ? "" : `cached ${maxAge}s`;
}
