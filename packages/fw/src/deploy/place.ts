import type { Place } from "../platform/gcp/place.ts";

/** Where an application is deployed. */
export type DeployPlace = Omit<Place, "service" | "database">;
