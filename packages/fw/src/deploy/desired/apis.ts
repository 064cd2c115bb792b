import type { Api } from "../../platform/gcp/rest/endpoints.ts";
import { apiOf } from "../kinds/drivers.ts";
import { keyOf, type Resource } from "../resource.ts";
import { keepsDocuments, shared, type Declared } from "./parts.ts";

/** The APIs that have to be on before a deploy can enable others. */
const required: ReadonlySet<Api> = new Set(["cloudresourcemanager", "serviceusage"]);

/**
 * Adds the APIs that resources are made with, and those that deployed services call. Each resource depends on its
 * own API: calls of one that is not enabled yet are refused.
 */
export function withApis(declared: Declared, resources: readonly Resource[]): readonly Resource[] {
  const names = new Set([...resources.map(apiOf), ...calledBy(declared)]);
  const apis = [...names].filter((api) => !required.has(api)).toSorted();
  return [
    ...apis.map((api) => shared("api", apiId(declared, api), `API ${api}`, { state: "ENABLED" })),
    ...resources.map((resource) => {
      const api = apiOf(resource);
      if (required.has(api)) return resource;
      return { ...resource, deps: [...resource.deps, keyOf({ kind: "api", id: apiId(declared, api) })] };
    }),
  ];
}

/** The APIs that services call at runtime, beyond those of the resources that they use. */
function calledBy({ manifest }: Declared): readonly Api[] {
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

function apiId({ place }: Declared, api: Api): string {
  return `projects/${place.project}/services/${api}.googleapis.com`;
}

function when(isNeeded: boolean, api: Api): readonly Api[] {
  return isNeeded ? [api] : [];
}
