import type { Manifest, ManifestService } from "../../build/manifest.ts";
import * as names from "../../platform/gcp/names.ts";
import type { Fields } from "../fields.ts";
import type { DeployPlace } from "../deploy-place.ts";
import { keyOf, type Kind, type Resource } from "../resource.ts";

/** The inputs that an application's resources are derived from. */
export interface ResourceInputs {
  readonly manifest: Manifest;
  readonly place: DeployPlace;
  /** References to images, with their digests, by the service's name in the manifest. */
  readonly images: Readonly<Record<string, string>>;
}

type NewResource = (kind: Kind, id: string, title: string, spec: Fields, deps?: readonly string[]) => Resource;

/** Creates a resource that belongs to the application alone. */
export const ownedResource: NewResource = (kind, id, title, spec, deps = []) => ({
  kind,
  id,
  title,
  spec,
  deps,
  owns: "all",
});

/** Creates a shared resource; the application owns only the fields in the spec. */
export const sharedResource: NewResource = (...parts) => ({ ...ownedResource(...parts), owns: "part" });

export function inPackage({ package: name }: ManifestService, resources: readonly Resource[]): readonly Resource[] {
  return resources.map((resource) => ({ ...resource, package: name }));
}

export function topicId({ project }: DeployPlace, topic: string): string {
  return `projects/${project}/topics/${topic}`;
}

export function accountId({ project }: DeployPlace, email: string): string {
  return `projects/${project}/serviceAccounts/${email}`;
}

export function serviceId(place: DeployPlace, unit: string): string {
  return `${regionOf(place)}/services/${names.serviceName(place, unit)}`;
}

export function domainId(place: DeployPlace, domain: string): string {
  return `${regionOf(place)}/domainmappings/${domain}`;
}

export function databaseId(place: DeployPlace): string {
  return `projects/${place.project}/databases/${names.databaseName(place)}`;
}

export function regionOf({ project, region }: DeployPlace): string {
  return `projects/${project}/locations/${region}`;
}

/** Formats a duration for Google's APIs. The result may have a fraction. */
export function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}

/** Returns the account that pushes messages and cron triggers to a service, with its resource key. */
export function pusherOf(
  { place }: ResourceInputs,
  { name }: ManifestService,
): { readonly email: string; readonly key: string } {
  const email = names.pusherEmail(place, name);
  return { email, key: keyOf({ kind: "service-account", id: accountId(place, email) }) };
}

/** True if Google delivers to the service: messages of a queue or topic, or cron triggers. */
export function isDeliveredTo({ receives, crons }: ManifestService): boolean {
  return (receives !== undefined && receives.source.kind !== "job") || crons.length > 0;
}

/** True for a Cloud Run service; a runner is a Cloud Run job. */
export function isService({ receives }: ManifestService): boolean {
  return receives?.source.kind !== "job";
}

/** True if clients other than services may call the service. */
export function isPublic({ kind, routes, site }: ManifestService): boolean {
  return kind === "app" && (site !== "" || routes.some(({ door }) => door !== "private"));
}

/** True if the application or the framework stores documents. */
export function keepsDocuments({ services }: Manifest): boolean {
  return services.some(({ grants, framework }) =>
    [...grants, ...framework].some(({ kind }) => kind === "entity" || kind === "lease"),
  );
}
