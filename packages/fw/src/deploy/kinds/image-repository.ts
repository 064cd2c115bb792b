import type { Driver } from "../driver.ts";
import { labelled } from "./marked.ts";
import { bodyOf } from "../terraform/written.ts";

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
  patch: async ({ id, spec }, live, _changes, cloud) => {
    const body = { labels: labelled(spec, live) };
    const query = { updateMask: "labels" };
    await cloud.call({ api: "artifactregistry", method: "PATCH", path: `/v1/${id}`, query, body });
  },
  normalize: (live) => live,
  fixed: ["format"],
  terraform: ({ id, spec }, { region }) => [
    {
      type: "google_artifact_registry_repository",
      body: { repository_id: id.split("/").at(-1) ?? "", location: region, ...bodyOf(spec) },
    },
  ],
  notes: (step) => (step === "create" ? { costs: "images are billed by their size" } : {}),
};
