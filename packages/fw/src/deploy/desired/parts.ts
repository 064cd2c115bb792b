import type { Manifest, ManifestService } from "../../build/manifest.ts";
import * as names from "../../platform/gcp/names.ts";
import type { Fields } from "../fields.ts";
import type { DeployPlace } from "../place.ts";
import { keyOf, type Kind, type Resource } from "../resource.ts";

/** What the resources of an application are derived from. */
export interface Declared {
  readonly manifest: Manifest;
  readonly place: DeployPlace;
  /** The image of each service by the service's name in the manifest: a reference by digest. */
  readonly images: Readonly<Record<string, string>>;
}

/** A resource that is the application's alone. */
export function owned(kind: Kind, id: string, title: string, spec: Fields, deps: readonly string[] = []): Resource {
  return { kind, id, title, spec, deps, owns: "all" };
}

/** A resource that the application shares with others. */
export function shared(kind: Kind, id: string, title: string, spec: Fields, deps: readonly string[] = []): Resource {
  return { kind, id, title, spec, deps, owns: "part" };
}

/** Assigns resources to the package of a service. */
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

/** A whole number of seconds, or a fraction, as Google's APIs write it. */
export function seconds(milliseconds: number): string {
  return `${milliseconds / 1000}s`;
}

/** Whom messages, and triggers, are brought to a service as. */
export function pusherOf(
  { place }: Declared,
  { name }: ManifestService,
): { readonly email: string; readonly key: string } {
  const email = names.pusherEmail(place, name);
  return { email, key: keyOf({ kind: "service-account", id: accountId(place, email) }) };
}

/** Whether the cloud brings something to it: messages of a queue or topic, or triggers. */
export function isDeliveredTo({ receives, crons }: ManifestService): boolean {
  return (receives !== undefined && receives.source.kind !== "job") || crons.length > 0;
}

/** Whether it is a service of Cloud Run: a runner is a job. */
export function isService({ receives }: ManifestService): boolean {
  return receives?.source.kind !== "job";
}

/** Whether anybody but services has something to ask of it. */
export function isPublic({ kind, routes, site }: ManifestService): boolean {
  return kind === "app" && (site !== "" || routes.some(({ door }) => door !== "private"));
}

/** Whether documents are kept: of the application, or of the framework for it. */
export function keepsDocuments({ services }: Manifest): boolean {
  return services.some(({ grants, framework }) =>
    [...grants, ...framework].some(({ kind }) => kind === "entity" || kind === "lease"),
  );
}
