import type { Definitions } from "../contract.ts";
import type { Cloud } from "./cloud.ts";
import type { CloudLocation } from "./cloud-location.ts";

export interface CloudParts {
  readonly cloud: Cloud;
  readonly place: CloudLocation;
  readonly definitions: Definitions;
}
