import type { IncomingMessage } from "node:http";
import type { App } from "../model/app.ts";
import { ofKind, siteOf } from "../model/declarations.ts";
import { servicesOf, type Service } from "../model/services.ts";
import { bearerToken } from "../runtime/access/bearer.ts";
import { messages } from "../runtime/messages.ts";
import { injectedPath } from "../runtime/routing/injected.ts";
import type { Destination } from "./front.ts";
import type { Operator } from "./operator.ts";
import type { Release } from "./release.ts";
import { Routes, type Placed } from "./routes.ts";
import { Sites } from "./sites.ts";

export interface DestinationsOptions {
  readonly app: App;
  readonly releases: readonly Release[];
  readonly operator: Operator;
  /** Whether a token is one of a command of the same user. */
  readonly isCommand: (token: string) => boolean;
}

/** Decides who answers a request from outside. */
export class Destinations {
  readonly #options: DestinationsOptions;
  readonly #routes: Routes;
  readonly #sites: Sites;
  readonly #services: readonly Service[];

  constructor(options: DestinationsOptions) {
    this.#options = options;
    this.#routes = new Routes(options.app);
    this.#sites = new Sites(options.app, options.releases);
    this.#services = servicesOf(options.app).filter(({ kind }) => kind === "app");
  }

  /** As of a request to a path, without its query. */
  of(req: IncomingMessage, path: string): Destination {
    const injected = injectedPath(path);
    if (injected !== undefined) return this.#ofInjected(req, injected);
    const { method = "GET" } = req;
    const placed = this.#routes.find(method, path);
    if (placed === undefined) return to(this.#ofUnrouted(path));
    const reads = method === "GET" || method === "HEAD";
    const file = reads && hasParameters(placed) ? this.#sites.findNamed(path) : undefined;
    if (file !== undefined) return to(file);
    // As the platform does: nobody from outside gets as far as the service.
    if (placed.endpoint.settings.private) return { status: 403, message: messages.privateRoute };
    return to(placed.service);
  }

  /** A file, a path whose methods somebody can name, or a page that says that there is nothing. */
  #ofUnrouted(path: string): string | undefined {
    const found = this.#sites.find(path) ?? this.#routes.findPath(path)?.service;
    return found ?? this.#first((each) => siteOf(each.package)?.notFound !== undefined)?.name;
  }

  /** The framework's own endpoints are of the service whose package declares what they are for. */
  #ofInjected(req: IncomingMessage, path: string): Destination {
    const answer = this.#isCommand(req) ? this.#options.operator.answer(path) : undefined;
    if (answer !== undefined) return { operator: answer };
    return to(this.#forInjected(path)?.name);
  }

  #isCommand({ method, headers: { authorization } }: IncomingMessage): boolean {
    const token = authorization === undefined || method !== "POST" ? undefined : bearerToken(authorization);
    return token !== undefined && this.#options.isCommand(token);
  }

  #forInjected(path: string): Service | undefined {
    const cron = /^api\/cron\/([^/]+)$/.exec(path)?.[1];
    if (cron !== undefined)
      return this.#services.find((each) => ofKind(each.package, "cron").some(({ name }) => name === cron));
    if (path.startsWith("api/signed/")) return this.#first((each) => ofKind(each.package, "bucket").length > 0);
    return this.#first((each) => ofKind(each.package, "auth").length > 0);
  }

  #first(wanted: (service: Service) => boolean): Service | undefined {
    return this.#services.find(wanted) ?? this.#services[0];
  }
}

function hasParameters({ endpoint }: Placed): boolean {
  return endpoint.route.segments.some((segment) => "param" in segment);
}

function to(service: string | undefined): Destination {
  return service === undefined ? { status: 404, message: messages.notFound } : { service };
}
