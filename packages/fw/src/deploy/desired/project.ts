import * as names from "../../platform/gcp/names.ts";
import type { AgentName } from "../kinds/agents.ts";
import type { Resource } from "../resource.ts";
import { isPublic, regionOf, shared, type Declared } from "./parts.ts";

/** What the whole project needs once: a repository for images, and how people sign in. */
export function projectResources(declared: Declared): readonly Resource[] {
  const { place } = declared;
  const repository = `${regionOf(place)}/repositories/${names.imageRepository}`;
  const kept = { format: "DOCKER", labels: { "managed-by": "fw" }, cleanupPolicies };
  return [shared("image-repository", repository, "repository of images", kept), ...signIn(declared)];
}

/**
 * Images that no deploy needs any more go by themselves. The newest of each name stay, so that a deploy can go back; the one that a tag
 * names, as the last of each service is named, is never taken for one of nobody.
 */
const cleanupPolicies = {
  "fw-keep": { id: "fw-keep", action: "KEEP", mostRecentVersions: { keepCount: 100 } },
  "fw-untagged": {
    id: "fw-untagged",
    action: "DELETE",
    condition: { tagState: "UNTAGGED", olderThan: "2592000s" },
  },
};

function signIn({ manifest, place }: Declared): readonly Resource[] {
  if (manifest.signIn === undefined) return [];
  const doors = manifest.services.filter(isPublic);
  const hosts = doors.map(({ name }) => new URL(names.serviceUrl(place, name)).host);
  const domains = doors.map(({ domain }) => domain).filter((domain) => domain !== "");
  const spec = {
    authorizedDomains: [...hosts, ...domains].toSorted(),
    ...(manifest.signIn.password && { signIn: { email: { enabled: true, passwordRequired: true } } }),
  };
  return [shared("sign-in", `projects/${place.project}/config`, "sign-in at Identity Platform", spec)];
}

/** Names of the accounts that are Google's own, and bring messages in the project's name. */
export function agentOf({ projectNumber }: Declared["place"], service: AgentName): string {
  return `serviceAccount:service-${projectNumber}@${service}.iam.gserviceaccount.com`;
}
