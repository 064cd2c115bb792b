import type { App } from "../model/app.ts";
import type { Service } from "../model/services.ts";
import { messages } from "../runtime/messages.ts";
import type { Destination } from "./front.ts";
import type { ServiceProcess } from "./process.ts";
import { Routes } from "./routes.ts";

const injected = "/_fw/";

/** Decides which service answers a request from outside. */
export class Destinations {
  readonly #routes: Routes;
  readonly #services: readonly Service[];
  readonly #process: (name: string) => ServiceProcess | undefined;

  constructor(app: App, services: readonly Service[], process: (name: string) => ServiceProcess | undefined) {
    this.#routes = new Routes(app);
    this.#services = services.filter(({ kind }) => kind === "app");
    this.#process = process;
  }

  of(method: string, path: string): Destination {
    if (path.startsWith(injected)) return this.#to(this.#forInjected(path.slice(injected.length))?.name);
    const placed = this.#routes.find(method, path);
    // As the platform does: nobody from outside gets as far as the service.
    if (placed?.endpoint.settings.private) return { status: 403, message: messages.privateRoute };
    const known = placed ?? this.#routes.findPath(path);
    return this.#to(known?.service ?? this.#withSite()?.name);
  }

  /** The framework's own endpoints are of the service whose package declares what they are for. */
  #forInjected(path: string): Service | undefined {
    const cron = /^api\/cron\/([^/]+)$/.exec(path)?.[1];
    if (cron !== undefined) return this.#services.find((each) => each.package.crons?.some(({ name }) => name === cron));
    if (path.startsWith("api/signed/")) return this.#first((each) => each.package.buckets !== undefined);
    return this.#first((each) => each.package.auths !== undefined);
  }

  #first(wanted: (service: Service) => boolean): Service | undefined {
    return this.#services.find(wanted) ?? this.#services[0];
  }

  #withSite(): Service | undefined {
    return this.#services.find((each) => each.package.site !== undefined) ?? this.#services[0];
  }

  #to(name: string | undefined): Destination {
    const process = name === undefined ? undefined : this.#process(name);
    return process === undefined ? { status: 404, message: messages.notFound } : { service: process };
  }
}
