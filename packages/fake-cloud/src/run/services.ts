import { request as connect, type IncomingMessage } from "node:http";
import type { Exchange } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { KnownAddresses } from "./instance.ts";
import { Revision, RunService } from "./service.ts";

/** A service whose instances somebody else has started. */
export interface StartedService {
  readonly name: string;
  readonly serviceAccount: string;
  /** Where its instances answer; more than one are taken in turn. */
  readonly urls: readonly string[];
  /** Whoever calls needs no permission. */
  readonly public: boolean;
}

/** A request that the cloud makes. */
export interface Delivery {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** In milliseconds; after it there is no answer. */
  readonly timeout: number;
}

/** An answer of a service. */
export interface ServiceAnswer {
  readonly status: number;
  readonly body: string;
}

/** The services of Cloud Run, in front of which stands the check of who calls. */
export class RunServices {
  readonly #cloud: Cloud;
  readonly #services = new Map<string, RunService>();
  /** The names of services by the domains that lead to them. */
  readonly domains: Map<string, string> = new Map();

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
  }

  /** A service with one revision, that answers where its instances are already. */
  set({ name, serviceAccount, urls, public: invokerIamDisabled }: StartedService): void {
    const service = this.#services.get(name) ?? this.made(name);
    service.generation += 1;
    const revisionName = `${name}-${String(service.generation).padStart(5, "0")}`;
    const now = this.#cloud.clock.timestamp();
    const revision = new Revision(revisionName, { serviceAccount }, new KnownAddresses(urls), now);
    revision.condition = { type: "Ready", state: "CONDITION_SUCCEEDED" };
    service.settings = { invokerIamDisabled, template: { serviceAccount } };
    service.revisions.set(revisionName, revision);
    Object.assign(service, { latestCreated: revision, latestReady: revision, condition: revision.condition });
    service.route();
    this.#services.set(name, service);
  }

  /** A service that nobody has heard of yet. */
  made(name: string): RunService {
    const { id, region } = this.#cloud.project;
    return new RunService(
      `projects/${id}/locations/${region}/services/${name}`,
      this.url(name),
      this.#cloud.clock.timestamp(),
    );
  }

  add(service: RunService): void {
    this.#services.set(service.name, service);
  }

  get(name: string): RunService | undefined {
    return this.#services.get(name);
  }

  all(): readonly RunService[] {
    return [...this.#services.values()];
  }

  remove(name: string): void {
    this.#services.delete(name);
  }

  /** The address of a service that its name and its project tell. */
  url(name: string): string {
    return `https://${this.#host(name)}`;
  }

  resource(name: string): string {
    const { id, region } = this.#cloud.project;
    return `//run.googleapis.com/projects/${id}/locations/${region}/services/${name}`;
  }

  /** Passes a request to the service that its host names; false when none has it. */
  async pass({ request, response, host, path, search }: Exchange): Promise<boolean> {
    const { service, tag } = this.#at(host) ?? {};
    if (!service) return false;
    const refused = await this.#refusal(service, request.headers.authorization);
    if (refused) {
      request.resume();
      response.writeHead(refused, { "content-type": "text/html; charset=UTF-8" });
      response.end(refusedPage(refused));
      return true;
    }
    const to = await service.next(tag)?.backend.address();
    if (to === undefined) {
      request.resume();
      response.writeHead(503, { "content-type": "text/plain" }).end("Service Unavailable");
      return true;
    }
    const client = request.socket.remoteAddress ?? "";
    const forwarded = [request.headers["x-forwarded-for"], client].filter(Boolean).join(", ");
    const query = search.size > 0 ? `?${(request.url ?? "").split("?").slice(1).join("?")}` : "";
    await new Promise<void>((resolve) => {
      const outgoing = connect(
        `${to}${path}${query}`,
        {
          method: request.method ?? "GET",
          headers: {
            ...request.headers,
            host,
            "x-forwarded-for": forwarded,
            "x-forwarded-proto": "https",
            "x-cloud-trace-context": traceOf(request),
            ...(request.headers.authorization !== undefined && {
              authorization: seen(service, request.headers.authorization),
            }),
          },
        },
        (answer) => {
          response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
          answer.pipe(response);
          answer.on("close", resolve);
        },
      );
      outgoing.on("error", () => {
        if (!response.headersSent) response.writeHead(503, { "content-type": "text/plain" }).end("Service Unavailable");
        else response.destroy();
        resolve();
      });
      response.on("close", () => outgoing.destroy());
      request.pipe(outgoing);
    });
    return true;
  }

  /** A request of the cloud itself to an address: a delivery. Status 0 when nothing answers in time. */
  async deliver(url: string, init: Delivery): Promise<ServiceAnswer> {
    const target = new URL(url);
    const { service, tag } = this.#at(target.host) ?? {};
    const headers = { ...init.headers };
    let base = target.origin;
    if (service) {
      const refused = await this.#refusal(service, headers["authorization"]);
      if (refused) return { status: refused, body: refusedPage(refused) };
      const to = await service.next(tag)?.backend.address();
      if (to === undefined) return { status: 503, body: "Service Unavailable" };
      base = to;
      headers["x-forwarded-for"] ??= "66.102.0.1";
      headers["x-forwarded-proto"] = "https";
      headers["host"] = target.host;
      if (headers["authorization"] !== undefined) headers["authorization"] = seen(service, headers["authorization"]);
    }
    return exchange(`${base}${target.pathname}${target.search}`, { ...init, headers });
  }

  /** The service at a host, which may begin with a tag of its traffic, or be a domain that is mapped to it. */
  #at(host: string): { readonly service: RunService; readonly tag?: string } | undefined {
    const mapped = this.domains.get(host);
    const [, tag, rest = host] = /^([^.]+?)---(.+)$/.exec(host) ?? [];
    for (const [name, service] of this.#services)
      if (name === mapped || this.#host(name) === rest) return { service, ...(tag !== undefined && { tag }) };
    return undefined;
  }

  #host(name: string): string {
    const { number, region } = this.#cloud.project;
    return `${name}-${number}.${region}.run.app`;
  }

  /** The status with which Cloud Run itself refuses a caller, if it does. */
  async #refusal(service: RunService, authorization: string | undefined): Promise<number | undefined> {
    if (isPublic(service) || this.#cloud.policies.allowed(undefined, "run.routes.invoke", this.resource(service.name)))
      return undefined;
    const token = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return 403;
    const claims = await this.#cloud.tokens.verified(token);
    if (!claims || claims["aud"] !== this.url(service.name)) return 401;
    const resource = this.resource(service.name);
    return this.#cloud.may(String(claims["email"]), "run.routes.invoke", resource) ? undefined : 403;
  }
}

function exchange(url: string, init: Delivery): Promise<ServiceAnswer> {
  return new Promise((resolve) => {
    const outgoing = connect(url, { method: init.method, headers: init.headers, timeout: init.timeout }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on("data", (chunk: Buffer) => chunks.push(chunk));
      answer.on("close", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
    });
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve({ status: 0, body: "" }));
    outgoing.end(init.body);
  });
}

/** Whether Cloud Run asks nobody who he is. */
function isPublic({ settings }: RunService): boolean {
  return settings.invokerIamDisabled === true;
}

/** The header as the container sees it: Cloud Run takes the signature away where it has checked it. */
function seen(service: RunService, authorization: string): string {
  return isPublic(service) ? authorization : authorization.replace(/\.[^.]*$/, ".SIGNATURE_REMOVED_BY_GOOGLE");
}

function traceOf(request: IncomingMessage): string {
  const given = request.headers["x-cloud-trace-context"];
  if (typeof given === "string") return given;
  const [, trace, span] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-/.exec(String(request.headers["traceparent"] ?? "")) ?? [];
  return trace && span ? `${trace}/${BigInt(`0x${span}`)};o=1` : `${"0".repeat(31)}1/1;o=0`;
}

function refusedPage(status: number): string {
  const [title, text] =
    status === 401
      ? ["401 Unauthorized", "Your client does not have permission to the requested URL"]
      : ["403 Forbidden", "Your client does not have permission to get URL"];
  return `\n<html><head>\n<meta http-equiv="content-type" content="text/html;charset=utf-8">\n<title>${title}</title>\n</head>\n<body text=#000000 bgcolor=#ffffff>\n<h1>Error: ${title.slice(4)}</h1>\n<h2>${text} from this server.</h2>\n<h2></h2>\n</body></html>\n`;
}
