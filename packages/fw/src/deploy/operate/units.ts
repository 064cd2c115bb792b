import type { App } from "../../model/app.ts";
import { consumersOf } from "../../model/declarations.ts";
import { servicesOf } from "../../model/services.ts";
import { jobName, serviceName } from "../../platform/gcp/names.ts";
import type { DeployPlace } from "../deploy-place.ts";
import type { LoggedUnit } from "./logs.ts";

/** Returns an application's services with their names in Cloud Run. A job is named for its trigger. */
export function unitsOf(app: App, place: DeployPlace): readonly LoggedUnit[] {
  return servicesOf(app).map(({ name: service, kind, package: pkg }) => {
    if (kind !== "runner") return { service, runs: "service", name: serviceName(place, service) };
    const source = consumersOf(pkg).find((consumer) => consumer.service === service)?.source;
    return { service, runs: "job", name: jobName(place, source?.name ?? service) };
  });
}
