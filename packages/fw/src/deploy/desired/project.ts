import * as names from "../../platform/gcp/names.ts";
import type { AgentName } from "../kinds/agents.ts";
import type { Resource } from "../resource.ts";
import { isPublic, regionOf, sharedResource, type ResourceInputs } from "./resource-inputs.ts";

/** Returns the resources that exist once per project: the image repository and the sign-in configuration. */
export function projectResources(inputs: ResourceInputs): readonly Resource[] {
  const { place } = inputs;
  const repository = `${regionOf(place)}/repositories/${names.imageRepository}`;
  const spec = { format: "DOCKER", labels: { "managed-by": "fw" }, cleanupPolicies };
  return [sharedResource("image-repository", repository, "image repository", spec), ...signIn(inputs)];
}

/**
 * Policies that delete unused images automatically. They keep the newest 100 images of each name for rollbacks, and
 * tagged images, such as the latest of each service.
 */
const cleanupPolicies = {
  "fw-keep": { id: "fw-keep", action: "KEEP", mostRecentVersions: { keepCount: 100 } },
  "fw-untagged": {
    id: "fw-untagged",
    action: "DELETE",
    condition: { tagState: "UNTAGGED", olderThan: "2592000s" },
  },
};

function signIn({ manifest, place }: ResourceInputs): readonly Resource[] {
  if (manifest.signIn === undefined) return [];
  const publicServices = manifest.services.filter(isPublic);
  const hosts = publicServices.map(({ name }) => new URL(names.serviceUrl(place, name)).host);
  const domains = publicServices.map(({ domain }) => domain).filter((domain) => domain !== "");
  const spec = {
    authorizedDomains: [...hosts, ...domains].toSorted(),
    ...(manifest.signIn.password && { signIn: { email: { enabled: true, passwordRequired: true } } }),
  };
  return [sharedResource("sign-in", `projects/${place.project}/config`, "sign-in with Identity Platform", spec)];
}

/** Returns the project's service agent for a Google service, which acts on the project's behalf. */
export function agentOf({ projectNumber }: ResourceInputs["place"], service: AgentName): string {
  return `serviceAccount:service-${projectNumber}@${service}.iam.gserviceaccount.com`;
}
