import { pathIn, shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { fieldsOf, isFields } from "../fields.ts";
import { bodyOf } from "../terraform/written.ts";
import { labelled } from "./marked.ts";
import { maskOf, restDriver } from "./rest-driver.ts";

const api = "artifactregistry";

/** Where the images of a project are, of all its applications. */
export const imageRepository: Driver = restDriver({
  stage: "ground",
  api,
  made: "repositoryId",
  // Others of the project may have labels and policies of their own on it.
  patch: async ({ id, spec }, cloud, { live, changes }) => {
    const body = {
      labels: labelled(spec, live),
      cleanupPolicies: { ...fieldsOf(live["cleanupPolicies"]), ...fieldsOf(spec["cleanupPolicies"]) },
    };
    await cloud.call({ api, method: "PATCH", path: pathIn(api, id), query: maskOf(changes), body });
  },
  fixed: ["format"],
  terraform: ({ id, spec: { cleanupPolicies, ...spec } }, { region }) => [
    {
      type: "google_artifact_registry_repository",
      body: {
        repository_id: shortName(id),
        location: region,
        ...bodyOf(spec),
        cleanup_policies: Object.values(fieldsOf(cleanupPolicies)).filter(isFields).map(bodyOf),
      },
    },
  ],
  notes: (step) => (step === "create" ? { costs: "images are billed by their size" } : {}),
});
