import type { Manifest } from "../build/manifest.ts";
import type { DeployPlace } from "../deploy/deploy-place.ts";
import type { RehearsalCloud } from "./cloud.ts";

/** An application, and where it is deployed in a cloud of a rehearsal. */
export interface Deployed {
  readonly cloud: RehearsalCloud;
  readonly manifest: Manifest;
  readonly place: DeployPlace;
}
