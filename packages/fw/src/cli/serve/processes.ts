import { availableParallelism } from "node:os";
import type { App } from "../../model/app.ts";
import { ofKind } from "../../model/declarations.ts";
import { scalingOf } from "../../model/scaling.ts";
import { servicesOf, type Service } from "../../model/services.ts";
import { mostProcesses } from "../../topology/service-pool.ts";

/** Parses the value of `--processes`. Throws an error unless it is `auto` or a number from 1 to `mostProcesses`. */
export function readProcesses(text: string, processors: number = availableParallelism()): number {
  const count = text === "auto" ? Math.min(processors, mostProcesses) : Number(/^\d{1,2}$/.exec(text)?.[0] ?? 0);
  if (count >= 1 && count <= mostProcesses) return count;
  throw new Error(`${JSON.stringify(text)} is neither auto nor a number from 1 to ${mostProcesses}`);
}

/** Returns the number of processes of each service, by name, if an operator requests `count`. */
export function processCounts(app: App, count: number): ReadonlyMap<string, number> {
  return new Map(servicesOf(app).map((service) => [service.name, Math.min(count, processLimit(service))]));
}

/**
 * Returns the maximum number of processes of a service: one for a singleton or a runner, and for a service with
 * sockets, because code can reach only the sockets of its own process. For others, the maximum number of instances in
 * the cloud.
 */
function processLimit(service: Service): number {
  if (service.kind === "app" && ofKind(service.package, "socket").length > 0) return 1;
  return scalingOf(service).traffic?.maxInstances ?? 1;
}
