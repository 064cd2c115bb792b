import type { Driver } from "../driver.ts";
import { topOf, isFields } from "../fields.ts";
import { bodyOf } from "../terraform/written.ts";
import { fieldsOf, labelled } from "./marked.ts";

/** Where the images of a project are, of all its applications. */
export const imageRepository: Driver = {
  stage: "ground",
  api: "artifactregistry",
  read: ({ id }, cloud) => cloud.find({ api: "artifactregistry", method: "GET", path: `/v1/${id}` }),
  create: async ({ id, spec }, cloud) => {
    const [parent, repositoryId] = id.split("/repositories/");
    const path = `/v1/${parent}/repositories`;
    const made = await cloud.call({
      api: "artifactregistry",
      method: "POST",
      path,
      query: { repositoryId },
      body: spec,
    });
    await cloud.finished(made, "artifactregistry", (name) => `/v1/${name}`);
  },
  // Others of the project may have labels and policies of their own on it.
  patch: async ({ id, spec }, live, changes, cloud) => {
    const body = {
      labels: labelled(spec, live),
      cleanupPolicies: { ...fieldsOf(live["cleanupPolicies"]), ...fieldsOf(spec["cleanupPolicies"]) },
    };
    const query = { updateMask: topOf(changes).join(",") };
    await cloud.call({ api: "artifactregistry", method: "PATCH", path: `/v1/${id}`, query, body });
  },
  normalize: (live) => live,
  fixed: ["format"],
  terraform: ({ id, spec: { cleanupPolicies, ...spec } }, { region }) => [
    {
      type: "google_artifact_registry_repository",
      body: {
        repository_id: id.split("/").at(-1) ?? "",
        location: region,
        ...bodyOf(spec),
        cleanup_policies: Object.values(fieldsOf(cleanupPolicies)).filter(isFields).map(bodyOf),
      },
    },
  ],
  notes: (step) => (step === "create" ? { costs: "images are billed by their size" } : {}),
};
