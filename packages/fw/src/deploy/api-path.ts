import type { Api } from "../platform/gcp/rest/endpoints.ts";

/** The versions of those APIs whose resources a deploy finds below another one than the first. */
const versions: { readonly [Name in Api]?: string } = {
  cloudresourcemanager: "v3",
  cloudtasks: "v2",
  identitytoolkit: "v2",
  monitoring: "v3",
  run: "v2",
};

/** Where an API has what is named so. */
export function pathIn(api: Api, name: string): string {
  return `/${versions[api] ?? "v1"}/${name}`;
}

/** The last part of a name. */
export function shortName(name: string): string {
  return name.split("/").at(-1) ?? "";
}

/** What a name is in: all but its last part. */
export function collectionOf(name: string): string {
  return name.replace(/\/[^/]*$/, "");
}
