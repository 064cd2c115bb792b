import type { RouteSettings } from "../../model/route.ts";
import { indexTexts } from "../../lib/derived-indexes.ts";
import { formatByteSize } from "../../lib/byte-size.ts";
import { columns } from "../../lib/columns.ts";
import type { App, Endpoint, Origins, Package } from "../../model/app.ts";
import { endpointsOf, settingsOf, siteOf } from "../../model/declarations.ts";
import { lineOf } from "../../model/diagnostic.ts";
import type { CompositeIndex } from "../../model/entity.ts";
import { declarationLines, graphDeclarations, placeOf, type GraphDeclarations } from "./declarations.ts";
import { servicesIn } from "../../model/services.ts";
import { type Access, accessRules, accessText } from "./access.ts";
import { graphScaling, scalingLines, type GraphScaling } from "./scaling.ts";

/** The output of `fw gen graph` as plain JSON. */
export interface Graph {
  readonly app: string;
  readonly services: readonly GraphService[];
  /** The composite indexes that queries need; absent if there are none. */
  readonly indexes?: readonly GraphIndex[];
}

interface GraphIndex {
  readonly entity: string;
  /** Fields with directions, such as `placed desc`. */
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
  /** Other origins whose pages may use its public APIs, mounts and sockets; absent if there are none. */
  readonly origins?: Origins;
  /** The site's directory; null without a site. */
  readonly site: string | null;
  readonly routes: readonly GraphRoute[];
  /** The resources of each service of the package. */
  readonly scaling: readonly GraphScaling[];
}

interface GraphRoute extends Pick<RouteSettings, "status" | "maxBody" | "invalid" | "once" | "live"> {
  readonly method: string;
  readonly path: string;
  readonly kind: "api" | "page" | "mount" | "socket";
  readonly door: Access;
  /** How long shared caches may store responses, in seconds; null if they must not. */
  readonly maxAge: number | null;
  /** The names of the tools of an MCP server; absent for other routes. */
  readonly tools?: readonly string[];
  /** `module:line` of the declaration. */
  readonly at: string;
}

export function graph(app: App): Graph {
  const doorOf = accessRules(app);
  const declarationsOf = graphDeclarations(app);
  const services = app.packages.map((pkg) => ({ ...service(pkg, doorOf), ...declarationsOf(pkg) }));
  return app.indexes === undefined
    ? { app: app.name, services }
    : { app: app.name, services, indexes: app.indexes.map(graphIndex) };
}

function graphIndex({ entity, fields, neededBy }: CompositeIndex): GraphIndex {
  return {
    entity,
    fields: indexTexts(fields),
    neededBy: neededBy.map(lineOf),
  };
}

function service(pkg: Package, doorOf: (endpoint: Endpoint) => Access): GraphService {
  const { name, dir, service } = pkg;
  const settings = settingsOf(pkg);
  return {
    name: service,
    package: name,
    dir: dir === "" ? "." : dir,
    profile: settings?.profile ?? "default",
    domain: settings?.domain ?? null,
    ...(settings?.origins && { origins: settings.origins }),
    site: siteOf(pkg)?.dir ?? null,
    routes: endpointsOf(pkg).map((endpoint) => route(endpoint, doorOf(endpoint))),
    scaling: servicesIn(pkg).map(graphScaling),
  };
}

function route(endpoint: Endpoint, door: Access): GraphRoute {
  const { pattern, method } = endpoint.route;
  const { maxAge = null, status, maxBody, invalid, once, live } = endpoint.settings;
  return {
    method,
    path: pattern.slice(pattern.indexOf("/")),
    kind: endpoint.kind,
    door,
    maxAge,
    ...(status === undefined ? {} : { status }),
    ...(maxBody === undefined ? {} : { maxBody }),
    ...(invalid === undefined ? {} : { invalid }),
    ...(endpoint.tools && { tools: endpoint.tools.map(({ variable }) => variable) }),
    ...(once === undefined ? {} : { once }),
    ...(live === undefined ? {} : { live }),
    at: placeOf(endpoint.declaration),
  };
}

/**
 * Formats the graph: a paragraph for each service, a line for each route and declaration, and a paragraph of indexes.
 */
export function graphText({ services, indexes = [] }: Graph): string {
  const parts = services.map((service) => [
    serviceLine(service),
    ...routeLines(service.routes),
    ...declarationLines(service),
    ...scalingLines(service.scaling),
  ]);
  if (indexes.length > 0) parts.push(["indexes", ...indexes.map(indexLine)]);
  return parts.map((lines) => `${lines.join("\n")}\n`).join("\n");
}

function indexLine({ entity, fields, neededBy }: GraphIndex): string {
  return `  ${entity}  (${fields.join(", ")})  ${neededBy.join(" ")}`;
}

function originsText({ allowed, credentials }: Origins): string {
  const names = allowed === "*" ? "any" : allowed.join(" ");
  return `origins ${names}${credentials ? " with cookies" : ""}`;
}

function serviceLine({ name, dir, profile, domain, site, origins }: GraphService): string {
  const facts = [
    dir,
    `profile ${profile}`,
    domain ?? "no domain",
    ...(site === null ? [] : [`site ${site}`]),
    ...(origins === undefined ? [] : [originsText(origins)]),
  ];
  return `${name}  (${facts.join(", ")})`;
}

function routeLines(routes: readonly GraphRoute[]): string[] {
  const rows = routes.map((route) => [
    route.method,
    route.path,
    route.kind,
    accessText(route.door),
    settingsText(route),
    route.at,
  ]);
  return columns(rows).map((line) => `  ${line}`);
}

function settingsText({ maxAge, status, maxBody, invalid, once, live, tools }: GraphRoute): string {
  return [
    ...(maxAge === null ? [] : [`cached ${maxAge}s`]),
    ...(status === undefined ? [] : [`answers ${status}`]),
    ...(maxBody === undefined ? [] : [`takes ${formatByteSize(maxBody)}`]),
    ...(invalid === undefined ? [] : ["shows problems"]),
    ...(once === undefined ? [] : ["runs once"]),
    ...(live === undefined ? [] : ["live"]),
    ...(tools === undefined ? [] : [`MCP tools ${tools.join(", ")}`]),
  ].join(", ");
}
