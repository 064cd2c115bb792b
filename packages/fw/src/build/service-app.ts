import type { Remote } from "../generate/remote-module.ts";
import type { App, Declaration, Package, SiteDeclaration } from "../model/app.ts";
import { allOfKind, declarationKey, endpointsOf, siteOf } from "../model/declarations.ts";
import { descriptionOf } from "../model/kinds.ts";
import type { Service } from "../model/services.ts";

/**
 * The part of an application that a service runs for others: its package with its entries, and nothing that they use. Where it
 * `authenticates`, what says who visits is among what it runs.
 */
export function entriesApp(app: App, service: Service, authenticates: boolean): App {
  const own = entriesOf(service);
  const before = authenticates ? allOfKind(app.packages, "authenticator") : [];
  return { ...app, packages: [{ ...own, declarations: [...own.declarations, ...before] }] };
}

/** The same with what the entries use: the declarations in `reached`, of whatever package. */
export function serviceApp(app: App, service: Service, reached: ReadonlySet<string>): App {
  const all = app.packages.flatMap(({ declarations }) => declarations);
  const used = all.filter(({ declaration }) => reached.has(declarationKey(declaration)));
  const own = entriesOf(service);
  const sites = used.filter((declared) => declared.kind === "site");
  const site = siteOf(own) ?? sites.find((used) => used === siteOf(service.package));
  const declarations = [
    ...own.declarations.filter(({ kind }) => kind !== "site"),
    ...(site ? [site] : []),
    ...used.filter(({ kind }) => descriptionOf(kind).shared),
    ...(service.kind === "app" || used.some(({ kind }) => kind === "auth") ? signInOf(app) : []),
    ...authenticatorsOf(app, service),
  ];
  const others = sites.filter((other) => other !== site).map((other) => otherPackage(app, other));
  return { ...app, packages: [{ ...own, declarations }, ...others] };
}

/** The endpoints of other services among the declarations in `reached`, with the service that has each. */
export function remoteEndpoints(
  services: readonly Service[],
  service: Service,
  reached: ReadonlySet<string>,
): readonly Remote[] {
  return services
    .filter((other) => other.kind === "app" && other.name !== service.name)
    .flatMap((other) => endpointsOf(other.package).map((endpoint) => ({ endpoint, service: other.name })))
    .filter(({ endpoint }) => reached.has(declarationKey(endpoint.declaration)));
}

/** The declarations in `reached` that a service's wiring has nothing of, each by its kind and its name: `cron digest`. */
export function namedElsewhere({ packages }: App, part: App, reached: ReadonlySet<string>): readonly string[] {
  const own = new Set(part.packages.flatMap(({ declarations }) => declarations));
  return packages.flatMap(({ declarations }) =>
    declarations.flatMap((declared) => {
      if (own.has(declared) || !reached.has(declarationKey(declared.declaration))) return [];
      return "name" in declared ? [`${declared.kind} ${declared.name}`] : "route" in declared ? [] : [declared.kind];
    }),
  );
}

/** The declarations whose code a service runs: its entries, the policies of its routes, and what says who visits where it `authenticates`. */
export function codeOf(
  { packages }: App,
  { entries, package: pkg, kind }: Service,
  authenticates: boolean,
): ReadonlySet<string> {
  const policies = kind === "app" ? endpointsOf(pkg).flatMap(({ settings }) => settings.allow ?? []) : [];
  const before = authenticates ? allOfKind(packages, "authenticator").map(({ declaration }) => declaration) : [];
  return new Set([...entries, ...policies, ...before].map(declarationKey));
}

/** The declarations of its package that a service runs or is configured by. */
function entriesOf({ kind, package: pkg, entries }: Service): Package {
  const isOwn = (declared: Declaration): boolean =>
    declared.kind === "service" ||
    entries.includes(declared.declaration) ||
    (kind === "app" && declared.kind === "site");
  return { ...pkg, declarations: pkg.declarations.filter(isOwn) };
}

/** Who may sign in is a matter of every service that people visit, and of those that manage accounts. */
function signInOf({ packages }: App): readonly Declaration[] {
  return allOfKind(packages, "auth", "role");
}

/** What a visitor shows is handed on by every service that people visit, also by those that do not ask whose it is. */
function authenticatorsOf({ packages }: App, { kind }: Service): readonly Declaration[] {
  return kind === "app" ? allOfKind(packages, "authenticator") : [];
}

/** A site of which only templates are used: its files and redirects are its own service's. */
function otherPackage(app: App, site: SiteDeclaration): Package {
  const { name = "", dir = "", service = "" } = app.packages.find((pkg) => siteOf(pkg) === site) ?? {};
  return { name, dir, service, declarations: [{ ...site, redirects: {} }] };
}
