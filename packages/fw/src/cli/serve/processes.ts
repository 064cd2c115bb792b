import { availableParallelism } from "node:os";
import type { App } from "../../model/app.ts";
import { ofKind } from "../../model/declarations.ts";
import { scalingOf } from "../../model/scaling.ts";
import { servicesOf, type Service } from "../../model/services.ts";
import { mostProcesses } from "../../topology/service-pool.ts";

/** Parses the value of `--processes`. Throws an error if it is neither a number nor `auto`. */
export function readProcesses(text: string, processors: number = availableParallelism()): number {
  const count = text === "auto" ? Math.min(processors, mostProcesses) : Number(/^\d{1,2}$/.exec(text)?.[0] ?? 0);
  if (count >= 1 && count <= mostProcesses) return count;
  throw new Error(`${JSON.stringify(text)} is neither auto nor a number from 1 to ${mostProcesses}`);
}

/** The number of processes of each service of which an operator asks for `count`, by name. */
export function processCounts(app: App, count: number): ReadonlyMap<string, number> {
  return new Map(servicesOf(app).map((service) => [service.name, Math.min(count, processLimit(service))]));
}

/**
 * The most processes that a service may have: one for a singleton, a runner, and a service with sockets, whose code
 * knows the connections of its own process; else as many as instances in the cloud.
 */
function processLimit(service: Service): number {
  if (service.kind === "app" && ofKind(service.package, "socket").length > 0) return 1;
  return scalingOf(service).traffic?.maxInstances ?? 1;
}
