import type { Definitions } from "../contract.ts";
import type { Cloud } from "./cloud.ts";
import type { Place } from "./place.ts";

/** What each port is made of. */
export interface CloudParts {
  readonly cloud: Cloud;
  readonly place: Place;
  readonly definitions: Definitions;
}
