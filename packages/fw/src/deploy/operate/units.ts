import type { App } from "../../model/app.ts";
import { consumersOf } from "../../model/declarations.ts";
import { servicesOf } from "../../model/services.ts";
import { jobName, serviceName } from "../../platform/gcp/names.ts";
import type { DeployPlace } from "../place.ts";
import type { LoggedUnit } from "./logs.ts";

/** The services of an application with what Cloud Run calls them. A job is named for what starts it. */
export function unitsOf(app: App, place: DeployPlace): readonly LoggedUnit[] {
  return servicesOf(app).map(({ name: service, kind, package: pkg }) => {
    if (kind !== "runner") return { service, runs: "service", name: serviceName(place, service) };
    const source = consumersOf(pkg).find((consumer) => consumer.service === service)?.source;
    return { service, runs: "job", name: jobName(place, source?.name ?? service) };
  });
}
