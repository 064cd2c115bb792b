import type { ProjectLocation } from "./cloud-location.ts";
import { CloudError } from "./rest/cloud-error.ts";
import type { Metadata } from "./rest/metadata.ts";

/** Reads the project and region of this process from the metadata server. */
export async function readMetadataLocation(metadata: Metadata): Promise<ProjectLocation> {
  const [project, projectNumber, region] = await Promise.all([
    metadata("project/project-id"),
    metadata("project/numeric-project-id"),
    metadata("instance/region"),
  ]).catch((error: unknown) => {
    throw error instanceof CloudError
      ? new Error(`the metadata server did not return this service's project and region (${error.message})`, {
          cause: error,
        })
      : error;
  });
  // `projects/123/regions/europe-west1`
  return { project, projectNumber, region: region.slice(region.lastIndexOf("/") + 1) };
}
