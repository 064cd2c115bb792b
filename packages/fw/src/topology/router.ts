import type { App, Package } from "../model/app.ts";
import { ofKind, siteOf } from "../model/declarations.ts";
import { isPublicService, servicesOf, signedURLService, signInService, type Service } from "../model/services.ts";
import { preflightMethod } from "../runtime/access/origins.ts";
import { bearerToken } from "../runtime/access/bearer.ts";
import { messages } from "../runtime/error-messages.ts";
import type { Request } from "../runtime/request.ts";
import { scrapePath } from "../runtime/observe/metrics/scrape-path.ts";
import { isAmbiguousPath } from "../runtime/mount/ambiguous-path.ts";
import { openApiPath } from "../runtime/routing/openapi.ts";
import { injectedPath } from "../runtime/exchange/http-guard.ts";
import { namedMethods } from "../runtime/routing/route.ts";
import type { RouteTarget } from "./front.ts";
import type { AdminEndpoints } from "./admin-endpoints.ts";
import type { Release } from "./release.ts";
import { Routes, type ServedEndpoint } from "./routes.ts";
import { openSite, type SiteFiles } from "../runtime/site/files.ts";

export interface RouterOptions {
  readonly app: App;
  readonly releases: readonly Pick<Release, "name" | "site">[];
  readonly admin: Pick<AdminEndpoints, "answer">;
  /** Responds with the application's OpenAPI document. */
  readonly openApi?: ((request: Request) => Promise<void>) | undefined;
  /** Responds with the console's page; `rest` is the path after the console's. */
  readonly consolePage?: ((request: Request, rest: string) => Promise<void>) | undefined;
  /** Responds to root requests if the application serves nothing there. */
  readonly welcome?: RootWelcome | undefined;
  /** Responds to scrapes of metrics; absent if scraping is not configured. */
  readonly scrape?: ((request: Request) => Promise<void>) | undefined;
  /** More endpoints for commands of the same user, by path below `/_fw/`. */
  readonly operations?: ReadonlyMap<string, (request: Request) => Promise<void>> | undefined;
  /** More endpoints for all clients, by method and path below `/_fw/`: `GET z/live`. */
  readonly endpoints?: ReadonlyMap<string, (request: Request) => Promise<void>> | undefined;
  /** The services that clients may reach; all of them by default. */
  readonly clientServices?: ReadonlySet<string> | undefined;
  /** Whether a token belongs to a command of the same user. */
  readonly isCommand: (token: string) => boolean;
}

/** A page for the root of an application without a route there. */
export interface RootWelcome {
  readonly asks: (exchange: Request["exchange"]) => boolean;
  readonly answer: (request: Request) => Promise<void>;
}

/** Decides which service or handler responds to a request. */
export class Router {
  readonly #options: RouterOptions;
  readonly #routes: Routes;
  readonly #sites: Sites;
  readonly #services: readonly Service[];

  constructor(options: RouterOptions) {
    this.#options = options;
    this.#routes = new Routes(options.app);
    this.#sites = new Sites(options.app, options.releases);
    this.#services = servicesOf(options.app).filter(({ kind }) => kind === "app");
  }

  of(request: Request): RouteTarget {
    const target = this.#targetOf(request);
    const { clientServices } = this.#options;
    if (!("service" in target) || clientServices?.has(target.service) !== false) return target;
    return this.#routes.findPath(request.path) === undefined
      ? { status: 404, message: messages.notFound }
      : { status: 403, message: messages.privateRoute };
  }

  /** Returns the handler of a request to the machine itself, not to the application; undefined for other requests. */
  ofMachine(request: Request): RouteTarget | undefined {
    const injected = injectedPath(request.path);
    const target = injected === undefined ? undefined : this.#ofInjected(request, injected);
    return target !== undefined && "admin" in target ? target : undefined;
  }

  #targetOf(request: Request): RouteTarget {
    const { path, exchange } = request;
    const injected = injectedPath(path);
    if (injected !== undefined) return this.#ofInjected(request, injected);
    if (path === "*") return { methods: this.#routes.methods };
    const method = preflightMethod(exchange) ?? exchange.method;
    const target = this.#routes.find(method, path);
    if (target === undefined) return this.#ofUnrouted(request);
    const isSame = (reading: string): boolean => this.#routes.find(method, reading)?.endpoint === target.endpoint;
    if (target.endpoint.kind === "mount" && isAmbiguousPath(path, isSame))
      return { status: 400, message: messages.badRequest };
    const reads = method === "GET" || method === "HEAD";
    const file = reads && hasParameters(target) ? this.#sites.findNamed(path) : undefined;
    return to(file ?? target.service);
  }

  /**
   * Finds the target of a request without a route: a file, a service that serves the path with other methods, or a
   * fallback, welcome or not-found page.
   */
  #ofUnrouted({ path, exchange }: Request): RouteTarget {
    const file = this.#sites.find(path);
    const methods = this.#routes.methodsOf(path);
    const allow = namedMethods(file === undefined ? methods : [...methods, "GET"]);
    const service = file ?? this.#routes.findPath(path)?.service;
    if (service !== undefined) return { service, allow };
    const router = this.#services.find((service) => siteOf(service.package)?.fallback !== undefined);
    if (router !== undefined) return to(router.name);
    const { welcome } = this.#options;
    if (welcome?.asks(exchange) === true) return { admin: welcome.answer };
    return to(this.#first((service) => siteOf(service.package)?.notFound !== undefined)?.name);
  }

  /**
   * Finds the target of a request to one of the framework's endpoints: a handler of this machine, or the service
   * concerned, such as a message's consumer.
   */
  #ofInjected(request: Request, path: string): RouteTarget {
    const { openApi, consolePage, scrape, operations, endpoints, admin } = this.#options;
    const answer = this.#isCommand(request) ? (operations?.get(path) ?? admin.answer(path)) : undefined;
    if (answer !== undefined) return { admin: answer };
    const rest = /^console(?:\/(.*))?$/.exec(path);
    if (consolePage !== undefined && rest !== null) return { admin: (asked) => consolePage(asked, rest[1] ?? "") };
    if (path === openApiPath && openApi !== undefined && request.exchange.method === "GET") return { admin: openApi };
    const endpoint = endpoints?.get(`${request.exchange.method} ${path}`);
    if (endpoint !== undefined) return { admin: endpoint };
    if (path === scrapePath) return scrape === undefined ? to(undefined) : { admin: scrape };
    return to(this.#forInjected(request, path)?.name);
  }

  #isCommand({ exchange }: Request): boolean {
    const token = exchange.method === "POST" ? bearerToken(exchange) : undefined;
    return token !== undefined && this.#options.isCommand(token);
  }

  #forInjected({ query }: Request, path: string): Service | undefined {
    if (path === "api/push") return this.#consumer(new URLSearchParams(query).get("consumer"));
    const cron = /^api\/cron\/([^/]+)$/.exec(path)?.[1];
    if (cron !== undefined)
      return this.#services.find((service) => ofKind(service.package, "cron").some(({ name }) => name === cron));
    if (path.startsWith("api/signed/")) return signedURLService(this.#options.app) ?? this.#services[0];
    return signInService(this.#options.app) ?? this.#first(isPublicService);
  }

  /** Finds the service that logs a delivery attempt: the requested consumer, or else any consumer or service. */
  #consumer(requested: string | null): Service | undefined {
    const consumers = servicesOf(this.#options.app).filter(({ kind }) => kind !== "app" && kind !== "singleton");
    return consumers.find(({ name }) => name === requested) ?? consumers[0] ?? this.#services[0];
  }

  #first(matches: (service: Service) => boolean): Service | undefined {
    return this.#services.find(matches) ?? this.#services[0];
  }
}

function hasParameters({ endpoint }: ServedEndpoint): boolean {
  return endpoint.route.segments.some((segment) => "param" in segment);
}

function to(service: string | undefined): RouteTarget {
  return service === undefined ? { status: 404, message: messages.notFound } : { service };
}

interface ServedSite {
  readonly service: string;
  readonly files: SiteFiles;
}

class Sites {
  readonly #sites: readonly ServedSite[];

  constructor({ packages }: App, releases: readonly Pick<Release, "name" | "site">[]) {
    this.#sites = packages.flatMap((pkg) => openSites(pkg, releases));
  }

  /** Returns the service with a file or redirect at the path; undefined if there is none. */
  find(path: string): string | undefined {
    return this.#of(path)?.service;
  }

  /**
   * Returns the service with a file at a path with an extension; undefined if there is none. Such a file takes
   * precedence over a route parameter.
   */
  findNamed(path: string): string | undefined {
    if (path.lastIndexOf(".") < path.lastIndexOf("/")) return undefined;
    const site = this.#of(path);
    return site?.files.lookup(path, "")?.kind === "asset" ? site.service : undefined;
  }

  #of(path: string): ServedSite | undefined {
    return this.#sites.find(({ files }) => files.lookup(path, "") !== undefined);
  }
}

function openSites(pkg: Package, releases: readonly Pick<Release, "name" | "site">[]): readonly ServedSite[] {
  const dir = releases.find(({ name }) => name === pkg.service)?.site;
  const site = siteOf(pkg);
  if (site === undefined || dir === undefined) return [];
  return [{ service: pkg.service, files: openSite({ dir, redirects: site.redirects }) }];
}
