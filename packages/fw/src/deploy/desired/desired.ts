import { type Resource, keyOf } from "../resource.ts";
import { bucketResources } from "./buckets.ts";
import { documentResources } from "./documents.ts";
import { grantResources } from "./grants.ts";
import { messageResources } from "./messages.ts";
import { observedResources } from "./monitoring.ts";
import { type ResourceInputs, keepsDocuments, sharedResource } from "./resource-inputs.ts";
import { projectResources } from "./project.ts";
import { serviceResources } from "./services.ts";
import type { Api } from "../../platform/gcp/rest/endpoints.ts";
import { apiOf } from "../kinds/drivers.ts";

/** Returns all resources that an application needs in its project. They follow from the inputs alone. */
export function desired(inputs: ResourceInputs): readonly Resource[] {
  const resources = [
    ...projectResources(inputs),
    ...documentResources(inputs),
    ...bucketResources(inputs),
    ...messageResources(inputs),
    ...serviceResources(inputs),
    ...observedResources(inputs),
  ];
  return withApis(inputs, [...resources, ...grantResources(inputs, resources)]);
}

/** The APIs that must be enabled before a deploy can enable others. */
const required: ReadonlySet<Api> = new Set(["cloudresourcemanager", "serviceusage"]);

/**
 * Adds the APIs that create the resources and the APIs that services call. Each resource depends on its API, because
 * calls to a disabled API fail.
 */
function withApis(inputs: ResourceInputs, resources: readonly Resource[]): readonly Resource[] {
  const names = new Set([...resources.map(apiOf), ...calledBy(inputs)]);
  const apis = [...names].filter((api) => !required.has(api)).toSorted();
  return [
    ...apis.map((api) => sharedResource("api", apiId(inputs, api), `API ${api}`, { state: "ENABLED" })),
    ...resources.map((resource) => {
      const api = apiOf(resource);
      if (required.has(api)) return resource;
      return { ...resource, deps: [...resource.deps, keyOf({ kind: "api", id: apiId(inputs, api) })] };
    }),
  ];
}

/** Returns the APIs that services call at run time, in addition to the APIs of the resources. */
function calledBy({ manifest }: ResourceInputs): readonly Api[] {
  const { services, signIn } = manifest;
  const uses = services.flatMap(({ grants, framework }) => [...grants, ...framework]);
  const signs = uses.some(({ operations }) => operations.some((operation) => operation.startsWith("signed")));
  return [
    "logging",
    ...when(keepsDocuments(manifest), "datastore"),
    ...when(
      services.some(({ secrets }) => secrets.length > 0),
      "secretmanager",
    ),
    ...when(signIn !== undefined || uses.some(({ kind }) => kind === "users"), "identitytoolkit"),
    ...when(signs, "iamcredentials"),
  ];
}

function apiId({ place }: ResourceInputs, api: Api): string {
  return `projects/${place.project}/services/${api}.googleapis.com`;
}

function when(isNeeded: boolean, api: Api): readonly Api[] {
  return isNeeded ? [api] : [];
}
