import { param, query, type Api } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { Refusal } from "../errors.ts";
import { namedIn } from "../methods.ts";
import { Resources } from "../resources.ts";

const host = "artifactregistry.googleapis.com";

/** Milliseconds that the creation or deletion of a repository takes. */
const makingMs = 200;

/** Creates Artifact Registry: repositories of images. */
export function artifactRegistry(cloud: Cloud): { readonly api: Api; readonly repositories: Resources<object> } {
  const repositories = new Resources<object>({
    methods: "artifactregistry.projects.locations.repositories",
    permissions: "artifactregistry.repositories",
    on: namedIn(host),
    items: "repositories",
    newName: (call) => `${param(call, "parent")}/repositories/${query(call, "repositoryId") ?? ""}`,
    missing: () => new Refusal("NOT_FOUND", "Requested entity was not found."),
    exists: () => new Refusal("ALREADY_EXISTS", "the repository already exists"),
    make: (call, name) => ({ mode: "STANDARD_REPOSITORY", ...(call.body as object), name }),
    takes: {
      operations: cloud.operations,
      place: (name) => name.replace(/\/repositories\/.*$/, ""),
      create: makingMs,
      delete: makingMs,
    },
  });
  const methods = {
    ...repositories.methods(),
    "artifactregistry.projects.locations.operations.get": cloud.operations.getMethod,
  };
  return { api: { host, methods }, repositories };
}
