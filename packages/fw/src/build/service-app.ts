import type { Remote } from "../generate/remote-module.ts";
import type { App, DeclarationRef, Package, SiteDeclaration } from "../model/app.ts";
import type { Service } from "../model/services.ts";
import { keyOf } from "./declarations.ts";

/** The part of an application that a service runs for others: its package with its entries, and nothing that they use. */
export function entriesApp(app: App, service: Service): App {
  return { ...app, packages: [entriesOf(service)] };
}

/** The same with what the entries use: the declarations in `reached`, of whatever package. */
export function serviceApp(app: App, service: Service, reached: ReadonlySet<string>): App {
  const used = <Part extends { readonly declaration: DeclarationRef }>(
    partsOf: (part: Package) => readonly Part[] | undefined,
  ): readonly Part[] =>
    app.packages.flatMap((part) => partsOf(part) ?? []).filter(({ declaration }) => reached.has(keyOf(declaration)));
  const own = entriesOf(service);
  const sites = used(({ site }) => (site === undefined ? [] : [site]));
  const resources = {
    entities: used((part) => part.entities),
    buckets: used((part) => part.buckets),
    destinations: used((part) => part.destinations),
    secrets: used((part) => part.secrets),
  };
  const first = {
    ...own,
    ...present(resources),
    ...present(authOf(app, service, used((part) => part.auths).length > 0)),
  };
  const site = own.site ?? sites.find((each) => each === service.package.site);
  const others = sites.filter((each) => each !== site).map((each) => otherPackage(app, each));
  return { ...app, packages: [site === undefined ? first : { ...first, site }, ...others] };
}

/** The endpoints of other services among the declarations in `reached`, with the service that has each. */
export function remoteEndpoints(
  services: readonly Service[],
  service: Service,
  reached: ReadonlySet<string>,
): readonly Remote[] {
  return services
    .filter((each) => each.kind === "app" && each.name !== service.name)
    .flatMap((each) => each.package.endpoints.map((endpoint) => ({ endpoint, service: each.name })))
    .filter(({ endpoint }) => reached.has(keyOf(endpoint.declaration)));
}

/** The declarations whose code a service runs: its entries and the policies of its routes. */
export function codeOf({ entries, package: part, kind }: Service): ReadonlySet<string> {
  const policies = kind === "app" ? part.endpoints.flatMap(({ settings }) => settings.allow ?? []) : [];
  return new Set([...entries, ...policies].map(keyOf));
}

function entriesOf({ kind, package: part, entries }: Service): Package {
  const { name, dir, service, settings, site, status, endpoints, crons, consumers = [], singletons = [] } = part;
  const own = { name, dir, service, ...(settings && { settings }) };
  if (kind === "app") {
    return { ...own, endpoints, ...(site && { site }), ...(status && { status }), ...present({ crons: crons ?? [] }) };
  }
  const isEntry = (each: { readonly declaration: DeclarationRef }): boolean => entries.includes(each.declaration);
  return {
    ...own,
    endpoints: [],
    ...present({ consumers: consumers.filter(isEntry), singletons: singletons.filter(isEntry) }),
  };
}

/** Who may sign in is a matter of every service that people visit, and of those that manage accounts. */
function authOf(app: App, { kind }: Service, manages: boolean): Pick<Package, "auths" | "roles"> {
  if (kind !== "app" && !manages) return {};
  return {
    auths: app.packages.flatMap(({ auths = [] }) => auths),
    roles: app.packages.flatMap(({ roles = [] }) => roles),
  };
}

/** A site of which only templates are used: its files and redirects are its own service's. */
function otherPackage(app: App, site: SiteDeclaration): Package {
  const { name = "", dir = "", service = "" } = app.packages.find((part) => part.site === site) ?? {};
  return { name, dir, service, endpoints: [], site: { ...site, redirects: {} } };
}

/** The lists that are not empty. */
function present<Lists extends Readonly<Record<string, readonly unknown[] | undefined>>>(lists: Lists): Partial<Lists> {
  return Object.fromEntries(
    Object.entries(lists).filter(([, list]) => list !== undefined && list.length > 0),
  ) as Partial<Lists>;
}
