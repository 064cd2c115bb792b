import type { Api } from "../../platform/gcp/rest/endpoints.ts";
import { apiOf } from "../kinds/drivers.ts";
import { keyOf, type Resource } from "../resource.ts";
import { keepsDocuments, sharedResource, type ResourceInputs } from "./resource-inputs.ts";

/** The APIs that must be enabled before a deploy can enable others. */
const required: ReadonlySet<Api> = new Set(["cloudresourcemanager", "serviceusage"]);

/**
 * Adds the APIs that create the resources and those that services call. Each resource depends on its API, because calls
 * of a disabled API fail.
 */
export function withApis(inputs: ResourceInputs, resources: readonly Resource[]): readonly Resource[] {
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

/** The APIs that services call at run time, beyond those of the resources that they use. */
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
