import { Cloud } from "./cloud.ts";
import { RunServices } from "./run/services.ts";

/** A cloud with the services of Cloud Run, which other APIs deliver requests to. */
export class ServingCloud extends Cloud {
  readonly services: RunServices = new RunServices(this);
}
