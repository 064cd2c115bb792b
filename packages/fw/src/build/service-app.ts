import type { Remote } from "../generate/remote-module.ts";
import type { App, Declaration, Package, SiteDeclaration } from "../model/app.ts";
import { allOfKind, declarationKey, endpointsOf, siteOf } from "../model/declarations.ts";
import { descriptionOf } from "../model/kinds.ts";
import type { Service } from "../model/services.ts";

/**
 * Returns the entries of a service: its package without the declarations that the entries use. Includes authenticators
 * if the service `authenticates`.
 */
export function entriesApp(app: App, service: Service, authenticates: boolean): App {
  const own = entriesOf(service);
  const before = authenticates ? allOfKind(app.packages, "authenticator") : [];
  return { ...app, packages: [{ ...own, declarations: [...own.declarations, ...before] }] };
}

/**
 * Returns the part of the application that a service contains: its entries, the shared declarations and the sites in
 * `usedKeys`, and sign-in and the authenticators if it needs them.
 */
export function serviceApp(app: App, service: Service, usedKeys: ReadonlySet<string>): App {
  const all = app.packages.flatMap(({ declarations }) => declarations);
  const usedDeclarations = all.filter(({ declaration }) => usedKeys.has(declarationKey(declaration)));
  const own = entriesOf(service);
  const sites = usedDeclarations.filter((declared) => declared.kind === "site");
  const site = siteOf(own) ?? sites.find((used) => used === siteOf(service.package));
  const declarations = [
    ...own.declarations.filter(({ kind }) => kind !== "site"),
    ...(site ? [site] : []),
    ...usedDeclarations.filter(({ kind }) => descriptionOf(kind).shared),
    ...(service.kind === "app" || usedDeclarations.some(({ kind }) => kind === "auth") ? signInOf(app) : []),
    ...authenticatorsOf(app, service),
  ];
  const others = sites.filter((other) => other !== site).map((other) => otherPackage(app, other));
  return { ...app, packages: [{ ...own, declarations }, ...others] };
}

/** Returns the endpoints of other services among the used declarations, each with its service. */
export function remoteEndpoints(
  services: readonly Service[],
  service: Service,
  usedKeys: ReadonlySet<string>,
): readonly Remote[] {
  return services
    .filter((other) => other.kind === "app" && other.name !== service.name)
    .flatMap((other) => endpointsOf(other.package).map((endpoint) => ({ endpoint, service: other.name })))
    .filter(({ endpoint }) => usedKeys.has(declarationKey(endpoint.declaration)));
}

/** Lists the used declarations that the service's wiring lacks, by kind and name, such as `cron digest`. */
export function namedElsewhere({ packages }: App, part: App, usedKeys: ReadonlySet<string>): readonly string[] {
  const own = new Set(part.packages.flatMap(({ declarations }) => declarations));
  return packages.flatMap(({ declarations }) =>
    declarations.flatMap((declared) => {
      if (own.has(declared) || !usedKeys.has(declarationKey(declared.declaration))) return [];
      return "name" in declared ? [`${declared.kind} ${declared.name}`] : "route" in declared ? [] : [declared.kind];
    }),
  );
}

/**
 * Returns the keys of the declarations whose code a service runs: its entries, the policies of its routes, and
 * authenticators if it `authenticates`.
 */
export function codeOf(
  { packages }: App,
  { entries, package: pkg, kind }: Service,
  authenticates: boolean,
): ReadonlySet<string> {
  const policies = kind === "app" ? endpointsOf(pkg).flatMap(({ settings }) => settings.allow ?? []) : [];
  const before = authenticates ? allOfKind(packages, "authenticator").map(({ declaration }) => declaration) : [];
  return new Set([...entries, ...policies, ...before].map(declarationKey));
}

/** Returns the package with only the declarations that a service runs or that configure it. */
function entriesOf({ kind, package: pkg, entries }: Service): Package {
  const isOwn = (declared: Declaration): boolean =>
    declared.kind === "service" ||
    entries.includes(declared.declaration) ||
    (kind === "app" && declared.kind === "site");
  return { ...pkg, declarations: pkg.declarations.filter(isOwn) };
}

/** Returns the sign-in declarations. Every service with requests from users or account management needs them. */
function signInOf({ packages }: App): readonly Declaration[] {
  return allOfKind(packages, "auth", "role");
}

/** Returns the authenticators for app services, which forward credentials even without resolving them. */
function authenticatorsOf({ packages }: App, { kind }: Service): readonly Declaration[] {
  return kind === "app" ? allOfKind(packages, "authenticator") : [];
}

/** Returns a package with a site for its templates only. The site's own service serves its files and redirects. */
function otherPackage(app: App, site: SiteDeclaration): Package {
  const { name = "", dir = "", service = "" } = app.packages.find((pkg) => siteOf(pkg) === site) ?? {};
  return { name, dir, service, declarations: [{ ...site, redirects: {} }] };
}
