import type { Api } from "../platform/gcp/rest/endpoints.ts";

/** The version segments of APIs that do not use v1. */
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

/** Returns the last segment of a name. */
export function shortName(name: string): string {
  return name.split("/").at(-1) ?? "";
}

/** Returns a name without its last segment. */
export function collectionOf(name: string): string {
  return name.replace(/\/[^/]*$/, "");
}
