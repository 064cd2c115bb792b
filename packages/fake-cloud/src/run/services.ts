import { request as connect, type IncomingMessage } from "node:http";
import { shortName, type Exchange } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { KnownAddresses } from "./instance.ts";
import { Revision, RunService } from "./service.ts";
import { joinConnections } from "./upgrade.ts";

/** A service whose instances a test has started. */
export interface StartedService {
  readonly name: string;
  readonly serviceAccount: string;
  /** The addresses of its instances, used in turn. */
  readonly urls: readonly string[];
  /** True if callers need no permission. */
  readonly public: boolean;
}

/** The account and audience of a request's token. */
export interface OidcToken {
  readonly serviceAccountEmail?: string;
  /** Defaults to the address of the request. */
  readonly audience?: string;
}

/** A request sent by the cloud. */
export interface Delivery {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oidcToken?: OidcToken | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** The timeout in milliseconds. */
  readonly timeout: number;
}

/** The target of a request with the headers that Cloud Run adds, or its immediate response. */
type Onward =
  | { readonly to: string; readonly headers: Readonly<Record<string, string>> }
  | { readonly status: number; readonly type: string; readonly body: string };

/** Cloud Run's services, behind its check of callers. */
export class RunServices {
  readonly #cloud: Cloud;
  /** Services by name. The services API replaces this map. */
  kept: Map<string, RunService> = new Map();
  /** Service names by mapped domain. */
  readonly domains: Map<string, string> = new Map();

  constructor(cloud: Cloud) {
    this.#cloud = cloud;
  }

  /** Adds a revision with running instances to a service. Creates the service if it does not exist. */
  set({ name, serviceAccount, urls, public: invokerIamDisabled }: StartedService): void {
    const service = this.kept.get(name) ?? this.create(`${this.#cloud.place}/services/${name}`);
    service.generation += 1;
    const revisionName = `${name}-${String(service.generation).padStart(5, "0")}`;
    const now = this.#cloud.clock.timestamp();
    const revision = new Revision(revisionName, { serviceAccount }, new KnownAddresses(urls), now);
    revision.condition = { type: "Ready", state: "CONDITION_SUCCEEDED" };
    service.settings = { invokerIamDisabled, template: { serviceAccount } };
    service.revisions.set(revisionName, revision);
    Object.assign(service, { latestCreated: revision, latestReady: revision, condition: revision.condition });
    service.route();
    this.kept.set(name, service);
  }

  /** Creates a service. */
  create(fullName: string): RunService {
    return new RunService(fullName, this.#cloud.clock.timestamp(), this.url(shortName(fullName)));
  }

  all(): readonly RunService[] {
    return [...this.kept.values()];
  }

  /** Returns the deterministic URL of a service, from its name and project. */
  url(name: string): string {
    return `https://${this.#host(name)}`;
  }

  resource(name: string): string {
    return `//run.googleapis.com/${this.#cloud.place}/services/${name}`;
  }

  /** Passes a request to the service with its host; returns false if there is none. */
  async pass({ request, response, host, path, search }: Exchange): Promise<boolean> {
    const onward = await this.#onward(host, request.headers.authorization);
    if (!onward) return false;
    if ("status" in onward) {
      request.resume();
      response.writeHead(onward.status, { "content-type": onward.type }).end(onward.body);
      return true;
    }
    const client = request.socket.remoteAddress ?? "";
    const headers = {
      ...request.headers,
      ...onward.headers,
      "x-forwarded-for": [request.headers["x-forwarded-for"], client].filter(Boolean).join(", "),
      "x-cloud-trace-context": traceOf(request),
    };
    const query = search.size > 0 ? `?${(request.url ?? "").split("?").slice(1).join("?")}` : "";
    await new Promise<void>((resolve) => {
      const url = `${onward.to}${path}${query}`;
      // Drains the rest of an unread body, so that the client's next request can arrive.
      const letGo = (): void => void request.unpipe(outgoing).resume();
      const outgoing = connect(url, { method: request.method ?? "GET", headers }, (answer) => {
        const { statusCode: status = 502 } = answer;
        if (status >= 400) letGo();
        response.writeHead(status, answer.rawHeaders);
        response.flushHeaders();
        answer.pipe(response);
        answer.on("close", () => {
          if (!answer.complete) response.destroy();
          // A connection with a partly sent body cannot be reused.
          if (!outgoing.writableFinished) outgoing.destroy();
          letGo();
          resolve();
        });
      });
      outgoing.on("upgrade", (answer, container, head) => {
        joinConnections(response, answer, container, head);
        resolve();
      });
      outgoing.on("error", () => {
        // The response has started, so its end signals the failure.
        if (response.headersSent) return;
        letGo();
        response.writeHead(unavailable.status, { "content-type": unavailable.type }).end(unavailable.body);
        resolve();
      });
      response.on("close", () => outgoing.destroy());
      request.pipe(outgoing);
    });
    return true;
  }

  /** Sends a request of the cloud itself. Resolves with the response's status; 0 if no response arrives. */
  async deliver(url: string, { oidcToken, ...init }: Delivery): Promise<number> {
    const { serviceAccountEmail: email, audience = url } = oidcToken ?? {};
    const headers: Record<string, string> = { ...init.headers };
    if (email !== undefined) headers["authorization"] = `Bearer ${await this.#cloud.tokens.id(email, audience)}`;
    const { host, origin, pathname, search } = new URL(url);
    const onward = await this.#onward(host, headers["authorization"]);
    if (!onward) return exchange(`${origin}${pathname}${search}`, { ...init, headers });
    if ("status" in onward) return onward.status;
    return exchange(`${onward.to}${pathname}${search}`, {
      ...init,
      headers: { "x-forwarded-for": "66.102.0.1", ...headers, ...onward.headers },
    });
  }

  /** Routes a request to a host; undefined if no service has it. */
  async #onward(host: string, authorization: string | undefined): Promise<Onward | undefined> {
    const { service, tag } = this.#at(host) ?? {};
    if (!service) return undefined;
    const refusalStatus = await this.#refusal(service, authorization);
    if (refusalStatus)
      return { status: refusalStatus, type: "text/html; charset=UTF-8", body: refusedPage(refusalStatus) };
    const to = await service.next(tag)?.backend.address();
    if (to === undefined) return unavailable;
    const shown = authorization !== undefined && { authorization: this.#seen(service, authorization) };
    return { to, headers: { host, "x-forwarded-proto": "https", ...shown } };
  }

  /** Returns the service of a host; the host may start with a traffic tag or be a mapped domain. */
  #at(host: string): { readonly service: RunService; readonly tag?: string } | undefined {
    const mapped = this.domains.get(host);
    const [, tag, rest = host] = /^([^.]+?)---(.+)$/.exec(host) ?? [];
    for (const [name, service] of this.kept)
      if (name === mapped || this.#host(name) === rest) return { service, ...(tag !== undefined && { tag }) };
    return undefined;
  }

  #host(name: string): string {
    const { number, region } = this.#cloud.project;
    return `${name}-${number}.${region}.run.app`;
  }

  /** False for a public service: Cloud Run then verifies no token. */
  #checksCallers({ name, settings }: RunService): boolean {
    if (settings.invokerIamDisabled === true) return false;
    return !this.#cloud.policies.isAllowed(undefined, "run.routes.invoke", this.resource(name));
  }

  /** Returns the authorization header for the container: Cloud Run removes a verified signature. */
  #seen(service: RunService, authorization: string): string {
    if (!this.#checksCallers(service)) return authorization;
    return authorization.replace(/\.[^.]*$/, ".SIGNATURE_REMOVED_BY_GOOGLE");
  }

  /** Returns the error status if Cloud Run itself refuses a caller. */
  async #refusal(service: RunService, authorization: string | undefined): Promise<number | undefined> {
    if (!this.#checksCallers(service)) return undefined;
    const token = /^Bearer (.+)$/i.exec(authorization ?? "")?.[1];
    if (token === undefined) return 403;
    const claims = await this.#cloud.tokens.verified(token);
    if (!claims || claims["aud"] !== this.url(service.name)) return 401;
    const resource = this.resource(service.name);
    return this.#cloud.may(String(claims["email"]), "run.routes.invoke", resource) ? undefined : 403;
  }
}

const unavailable = { status: 503, type: "text/plain", body: "Service Unavailable" };

function exchange(url: string, init: Delivery): Promise<number> {
  return new Promise((resolve) => {
    const outgoing = connect(url, { method: init.method, headers: init.headers, timeout: init.timeout }, (answer) => {
      answer.resume().on("close", () => resolve(answer.statusCode ?? 0));
    });
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve(0));
    outgoing.end(init.body);
  });
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
