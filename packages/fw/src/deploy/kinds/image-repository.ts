import { shortName } from "../api-path.ts";
import type { Driver } from "../driver.ts";
import { fieldsOf, isFields } from "../fields.ts";
import { bodyOf } from "../terraform/terraform-block.ts";
import { restDriver } from "./rest-driver.ts";

/** The image repository of a project, shared by its applications. */
export const imageRepository: Driver = restDriver({
  stage: "ground",
  api: "artifactregistry",
  creation: "repositoryId",
  shares: ["labels", "cleanupPolicies"],
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
