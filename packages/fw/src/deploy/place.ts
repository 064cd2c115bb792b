import type { CloudLocation } from "../platform/gcp/cloud-location.ts";

/** Where an application is deployed. */
export type DeployPlace = Omit<CloudLocation, "service" | "database">;
