import { Cloud } from "./cloud.ts";
import { RunServices } from "./run/services.ts";

/** A cloud with Cloud Run services, to which other APIs deliver requests. */
export class ServingCloud extends Cloud {
  readonly services: RunServices = new RunServices(this);
}
