import type { App } from "../../model/app.ts";
import { allOfKind } from "../../model/declarations.ts";
import { scalingOf } from "../../model/scaling.ts";
import { servicesOf } from "../../model/services.ts";

/** The memory of `fw serve` itself, in mebibytes. */
export const serverMemory = 192;

/**
 * The maximum number of machines without `maxInstances`. Limited because each opens eleven connections to PostgreSQL.
 */
export const mostMachines = 8;

/** The variables of `fw serve` that configure the provider of social sign-in. */
export const providerVariables: readonly string[] = ["FW_OIDC_ISSUER", "FW_OIDC_CLIENT_ID", "FW_OIDC_CLIENT_SECRET"];

/** Requirements of an application for machines that run `fw serve`, derived from its declarations. */
export interface HostingNeeds {
  /** A name for containers and resources: lowercase letters, digits and hyphens. */
  readonly name: string;
  readonly services: readonly string[];
  /** The variables of its secrets, and of the OpenID Connect provider if users can sign in with one. */
  readonly secrets: readonly string[];
  readonly hasSocial: boolean;
  readonly hasBuckets: boolean;
  /** The domains of its services, which all lead to the same machines. */
  readonly domains: readonly string[];
  /** The memory of one machine in mebibytes. */
  readonly memory: number;
  /** The CPUs of the largest service. */
  readonly cpu: number;
  readonly machines: { readonly least: number; readonly most: number };
}

export function hostingNeeds(app: App): HostingNeeds {
  const services = servicesOf(app);
  const scalings = services.map((service) => scalingOf(service));
  const least = Math.max(2, ...scalings.map(({ traffic }) => traffic?.minInstances ?? 0));
  const limits = app.packages.flatMap(pinnedLimits);
  const hasSocial = allOfKind(app.packages, "auth").some(({ social }) => social);
  const secrets = allOfKind(app.packages, "secret").map(({ name }) => name);
  return {
    name: nameOf(app.name),
    services: services.map(({ name }) => name),
    secrets: [...(hasSocial ? providerVariables : []), ...new Set(secrets.toSorted())],
    hasSocial,
    hasBuckets: allOfKind(app.packages, "bucket").length > 0,
    domains: [...new Set(allOfKind(app.packages, "service").flatMap(({ domain }) => domain ?? []))].toSorted(),
    memory: scalings.reduce((sum, { footprint }) => sum + footprint.memory, serverMemory),
    cpu: Math.max(...scalings.map(({ footprint }) => footprint.cpu)),
    machines: { least, most: Math.max(least, limits.length > 0 ? Math.max(...limits) : mostMachines) },
  };
}

/** Returns the `maxInstances` values that a package pins, for all of its services or for one. */
function pinnedLimits(pkg: App["packages"][number]): readonly number[] {
  return pkg.declarations.flatMap((declared) =>
    "pins" in declared && declared.pins?.maxInstances !== undefined ? [declared.pins.maxInstances] : [],
  );
}

function nameOf(name: string): string {
  const text = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);
  return /^[a-z]/.test(text) ? text : `app-${text}`;
}
