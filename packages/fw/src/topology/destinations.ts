import type { IncomingMessage } from "node:http";
import type { App } from "../model/app.ts";
import { servicesOf, type Service } from "../model/services.ts";
import { bearerToken } from "../runtime/access/bearer.ts";
import { messages } from "../runtime/messages.ts";
import type { Destination } from "./front.ts";
import type { Operator } from "./operator.ts";
import { Routes } from "./routes.ts";

const injected = "/_fw/";

export interface DestinationsOptions {
  readonly app: App;
  readonly operator: Operator;
  /** Whether a token is one of a command of the same user. */
  readonly isCommand: (token: string) => boolean;
  /** As of `HandlerOptions`. */
  readonly isOwnHost: (host: string | undefined) => boolean;
}

/** Decides who answers a request from outside. */
export class Destinations {
  readonly #options: DestinationsOptions;
  readonly #routes: Routes;
  readonly #services: readonly Service[];

  constructor(options: DestinationsOptions) {
    this.#options = options;
    this.#routes = new Routes(options.app);
    this.#services = servicesOf(options.app).filter(({ kind }) => kind === "app");
  }

  of(req: IncomingMessage, path: string): Destination {
    if (path.startsWith(injected)) return this.#ofInjected(req, path.slice(injected.length));
    const placed = this.#routes.find(req.method ?? "GET", path);
    // As the platform does: nobody from outside gets as far as the service.
    if (placed?.endpoint.settings.private) return { status: 403, message: messages.privateRoute };
    const known = placed ?? this.#routes.findPath(path);
    return to(known?.service ?? this.#withSite()?.name);
  }

  /** The framework's own endpoints are of the service whose package declares what they are for. */
  #ofInjected(req: IncomingMessage, path: string): Destination {
    const { operator, isOwnHost } = this.#options;
    if (!isOwnHost(req.headers.host)) return { status: 403, message: messages.foreignHost };
    const answer = this.#isCommand(req) ? operator.answer(path) : undefined;
    if (answer !== undefined) return { operator: answer };
    return to(this.#forInjected(path)?.name);
  }

  #isCommand({ method, headers: { authorization } }: IncomingMessage): boolean {
    const token = authorization === undefined || method !== "POST" ? undefined : bearerToken(authorization);
    return token !== undefined && this.#options.isCommand(token);
  }

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
    return this.#first((each) => each.package.site !== undefined);
  }
}

function to(service: string | undefined): Destination {
  return service === undefined ? { status: 404, message: messages.notFound } : { service };
}
