import type { CloudLocation } from "../platform/gcp/cloud-location.ts";

/** The target of a deploy: application, environment, project and region. */
export type DeployPlace = Omit<CloudLocation, "service" | "database">;
