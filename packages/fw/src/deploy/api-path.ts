import type { Api } from "../platform/gcp/rest/endpoints.ts";

/** The version segments of the APIs that a deploy uses, if not v1. */
const versions: { readonly [Name in Api]?: string } = {
  cloudresourcemanager: "v3",
  cloudtasks: "v2",
  identitytoolkit: "v2",
  monitoring: "v3",
  run: "v2",
};

export function pathIn(api: Api, name: string): string {
  return `/${versions[api] ?? "v1"}/${name}`;
}

/** The last segment of a name. */
export function shortName(name: string): string {
  return name.split("/").at(-1) ?? "";
}

/** The name without its last segment. */
export function collectionOf(name: string): string {
  return name.replace(/\/[^/]*$/, "");
}
