import type { App, DeclarationRef, Package } from "./app.ts";
import { allOfKind, consumersOf, endpointsOf, hasSignIn, ofKind, siteOf } from "./declarations.ts";
import { descriptionOf, kindsWith, type KindWith } from "./kinds.ts";

/** A part of the application that is deployed on its own and runs in its own processes. */
export interface Service {
  readonly name: string;
  readonly kind: "app" | KindWith<"runs", "alone">;
  readonly package: Package;
  /** The declarations whose code it runs, in source order. */
  readonly entries: readonly DeclarationRef[];
}

/**
 * Returns the services of an application, package by package: first the app service, if the package has endpoints,
 * crons or a site, then the separate services, consumers first.
 */
export function servicesOf({ packages }: App): readonly Service[] {
  return packages.flatMap(servicesIn);
}

export function servicesIn(pkg: Package): readonly Service[] {
  return [...appService(pkg), ...ownServices(pkg)];
}

/**
 * Returns the service where users sign in and out: the first app service whose package declares Auth, otherwise the
 * first app service; undefined if the application has no sign-in.
 */
export function signInService(app: App): Service | undefined {
  if (!hasSignIn(app)) return undefined;
  const services = servicesOf(app).filter(({ kind }) => kind === "app");
  return services.find((service) => ofKind(service.package, "auth").length > 0) ?? services[0];
}

/**
 * Returns the service that handles requests to signed URLs, on platforms where the application does so itself: the
 * first app service whose package declares a bucket, otherwise the first one; undefined if there are no buckets.
 */
export function signedURLService(app: App): Service | undefined {
  if (allOfKind(app.packages, "bucket").length === 0) return undefined;
  const services = servicesOf(app).filter(({ kind }) => kind === "app");
  return services.find((service) => ofKind(service.package, "bucket").length > 0) ?? services[0];
}

/** True if its package has a site or a public endpoint. */
export function isPublicService({ package: pkg }: Service): boolean {
  return siteOf(pkg) !== undefined || endpointsOf(pkg).some(({ settings }) => !settings.private);
}

/** Returns the names of the services with public endpoints, a site, sign-in or signed URLs, which clients call. */
export function clientServicesOf(app: App): readonly string[] {
  const signIn = signInService(app);
  const signed = signedURLService(app);
  return servicesOf(app)
    .filter(({ kind }) => kind === "app")
    .filter((service) => isPublicService(service) || [signIn?.name, signed?.name].includes(service.name))
    .map(({ name }) => name);
}

function appService(pkg: Package): readonly Service[] {
  const handlers = ofKind(pkg, ...kindsWith("runs", "app"));
  // A status page or an error shape alone does not form a service.
  if (handlers.every(({ kind }) => kind === "status" || kind === "errors") && siteOf(pkg) === undefined) return [];
  return [{ name: pkg.service, kind: "app", package: pkg, entries: handlers.map(({ declaration }) => declaration) }];
}

function ownServices(pkg: Package): readonly Service[] {
  const others = ofKind(pkg, ...kindsWith("runs", "alone")).filter(
    ({ kind }) => descriptionOf(kind).family !== "consumer",
  );
  return [...consumersOf(pkg), ...others].map(({ kind, service, declaration }) => {
    return { name: service, kind, package: pkg, entries: [declaration] };
  });
}
