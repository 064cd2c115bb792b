import type { Manifest } from "../build/manifest.ts";
import type { DeployPlace } from "../deploy/deploy-place.ts";
import type { RehearsalCloud } from "./cloud.ts";

/** An application and the target of its deploy. */
export interface RehearsedApp {
  readonly cloud: RehearsalCloud;
  readonly manifest: Manifest;
  readonly place: DeployPlace;
}
