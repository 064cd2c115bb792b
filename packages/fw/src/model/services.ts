import type { App, DeclarationRef, Package } from "./app.ts";
import { consumersOf, endpointsOf, hasSignIn, ofKind, siteOf } from "./declarations.ts";

/** What runs as one process when deployed. */
export interface Service {
  readonly name: string;
  readonly kind: "app" | "worker" | "subscribe" | "runner" | "singleton";
  readonly package: Package;
  /** The declarations whose code it runs for others: endpoints, crons and the status page, or the one handler. */
  readonly entries: readonly DeclarationRef[];
}

/**
 * The services of an application, by package: its app service, where it has endpoints, crons or a site, then each worker,
 * subscriber, runner and singleton.
 */
export function servicesOf({ packages }: App): readonly Service[] {
  return packages.flatMap(servicesIn);
}

/** Those of one package. */
export function servicesIn(pkg: Package): readonly Service[] {
  return [...appService(pkg), ...ownServices(pkg)];
}

/** The service in which people sign in and out: the first whose package declares how, or else the first; undefined where nobody does. */
export function signInService(app: App): Service | undefined {
  if (!hasSignIn(app)) return undefined;
  const services = servicesOf(app).filter(({ kind }) => kind === "app");
  return services.find((service) => ofKind(service.package, "auth").length > 0) ?? services[0];
}

function appService(pkg: Package): readonly Service[] {
  const entries = [...endpointsOf(pkg), ...ofKind(pkg, "cron")];
  if (entries.length === 0 && siteOf(pkg) === undefined) return [];
  const all = [...entries, ...ofKind(pkg, "status")].map(({ declaration }) => declaration);
  return [{ name: pkg.service, kind: "app", package: pkg, entries: all }];
}

function ownServices(pkg: Package): readonly Service[] {
  return [...consumersOf(pkg), ...ofKind(pkg, "singleton")].map(({ kind, service, declaration }) => {
    return { name: service, kind, package: pkg, entries: [declaration] };
  });
}
