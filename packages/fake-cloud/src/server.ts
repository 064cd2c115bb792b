import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Reply, type Api, type Call, type Exchange, type Method } from "./api.ts";
import type { Cloud } from "./cloud.ts";
import { matchRoute, routesByHost, type Match } from "./discovery/routes.ts";
import { validBody, validQuery } from "./discovery/validate.ts";
import { badRequest, errorBody, Refusal, type ErrorStyle } from "./errors.ts";
import { onlyFields } from "./fields.ts";
import { refusalOf } from "./faults.ts";
import { onUpgrade } from "./run/upgrade.ts";

/** Serves all of Google's hosts on one port. */
export class CloudServer {
  readonly #cloud: Cloud;
  readonly #apis: ReadonlyMap<string, Api>;
  /** Handles hosts that are not APIs: key sets, image registries and Cloud Run services. */
  readonly #hosts: (exchange: Exchange) => Promise<boolean>;

  constructor(cloud: Cloud, apis: readonly Api[], hosts: (exchange: Exchange) => Promise<boolean>) {
    this.#cloud = cloud;
    this.#apis = new Map(apis.map((api) => [api.host, api]));
    this.#hosts = hosts;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { host, path, search, origin, trusted } = this.#addressed(request);
    const api = this.#apis.get(host);
    const match = api && matchRoute(host, request.method ?? "GET", path);
    const method = match && api.methods[match.route.id];
    const exchange = { request, response, host, path, search, origin };
    if (api?.crossOrigin && allowCrossOrigin(request, response)) return;
    try {
      if (method) await this.#call(exchange, api, match, method, trusted);
      else if (!(await api?.other?.(exchange)) && !(await this.#hosts(exchange))) notThere(exchange);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (!response.headersSent) writeRefusal(response, error, api?.errors ?? "status");
      else response.destroy();
    }
  }

  /** Handles a call of a method: caller, validation, disabled APIs, faults, permissions, the method itself. */
  async #call(exchange: Exchange, api: Api, match: Match, method: Method, trusted: boolean): Promise<void> {
    const { request, response, search } = exchange;
    const { route, params } = match;
    const caller = trusted ? "owner" : this.#caller(method, request, search);
    const call: Call = {
      params,
      query: validQuery(route, search),
      body: route.upload ? {} : await jsonBody(request, match),
      request,
      headers: request.headers,
      caller,
      origin: exchange.origin,
      alt: search.get("alt") ?? "json",
      uploadType: search.get("uploadType") ?? "",
      validate: (resource) => validBody(route, resource),
    };
    this.#refuseSwitchedOff(api.host);
    const rule = this.#cloud.faults.next(route.id);
    if (rule?.fault === "slow") await this.#cloud.clock.sleep(rule.milliseconds ?? 1000);
    if (rule?.fault === "reset before effect") return void request.socket.destroy();
    const refusal = rule && refusalOf(rule.fault);
    if (rule?.retryAfter !== undefined) response.setHeader("retry-after", String(rule.retryAfter));
    if (refusal && rule.fault !== "503 after effect") throw refusal;
    if (typeof method.needs === "function" && !trusted) this.#authorize(api, method.needs(call), caller);
    const answer = await method.run(call);
    if (rule?.fault === "reset after effect") return void request.socket.destroy();
    if (refusal) throw refusal;
    const fields = search.get("fields") ?? search.get("$fields");
    writeAnswer(response, fields === null || answer instanceof Reply ? answer : onlyFields(answer, fields));
  }

  #caller(method: Method, request: IncomingMessage, search: URLSearchParams): string {
    if (method.needs === "nobody") return "";
    const bearer = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
    if (bearer === undefined) {
      const key = search.get("key") ?? request.headers["x-goog-api-key"];
      if (method.needs === "key" && key !== undefined && key !== "") {
        if (key === this.#cloud.apiKey) return "";
        throw new Refusal("INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.");
      }
      throw new Refusal("UNAUTHENTICATED", `Request is missing required authentication credential. ${expected}`);
    }
    const caller = this.#cloud.tokens.accountOf(bearer);
    if (caller === undefined) {
      throw new Refusal("UNAUTHENTICATED", `Request had invalid authentication credentials. ${expected}`);
    }
    return caller;
  }

  /**
   * Refuses calls to an API that is disabled, or was enabled just now
   * (cloud.google.com/service-usage/docs/enable-disable).
   */
  #refuseSwitchedOff(host: string): void {
    const { switchedOn, spreading, project } = this.#cloud;
    if (switchedOn?.has(host) !== false && !spreading.has(host)) return;
    const url = `https://console.developers.google.com/apis/api/${host}/overview?project=${project.number}`;
    const message = `${host} has not been used in project ${project.number} before or it is disabled. Enable it by visiting ${url} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.`;
    const details = [
      { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "SERVICE_DISABLED", domain: "googleapis.com" },
    ];
    throw new Refusal("PERMISSION_DENIED", message, { details, reason: "accessNotConfigured" });
  }

  #authorize(api: Api, permissions: ReturnType<Exclude<Method["needs"], string>>, caller: string): void {
    for (const need of permissions) {
      if (this.#cloud.may(caller, need.permission, need.resource)) continue;
      const message =
        api.denied?.(caller, need) ??
        `Permission '${need.permission}' denied on resource '${need.resource}' (or it may not exist).`;
      throw new Refusal("PERMISSION_DENIED", message);
    }
  }

  /** Finds the API by the host name, by the first path segment, or by the path of an API with an emulator. */
  #addressed(request: IncomingMessage): Pick<Exchange, "host" | "path" | "search" | "origin"> & { trusted: boolean } {
    const header = request.headers.host ?? "";
    const [path = "/", ...rest] = (request.url ?? "/").split("?");
    const search = new URLSearchParams(rest.join("?"));
    const name = header.replace(/:\d+$/, "").toLowerCase();
    if (isGoogle(name)) return { host: canonical(name), path, search, origin: `https://${header}`, trusted: false };
    const first = /^\/([\w.-]+)(\/.*)$/.exec(path);
    if (first && isGoogle(first[1] ?? "")) {
      const host = canonical(first[1] ?? "");
      return { host, path: first[2] ?? "/", search, origin: `http://${header}/${first[1]}`, trusted: false };
    }
    const full = /^\/(?:upload\/|resumable\/)?b(?:\/|$)/.test(path)
      ? path.replace(/\/b(?=\/|$)/, "/storage/v1/b")
      : path;
    const host = emulated.find((one) => matchRoute(one, request.method ?? "GET", full)) ?? "storage.googleapis.com";
    const trusted = request.headers.authorization === "Bearer owner";
    return { host, path: full, search, origin: `http://${header}`, trusted };
  }
}

/** Sets CORS headers so that pages of other sites can read the response. Answers a preflight and returns true. */
function allowCrossOrigin({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  if (headers.origin === undefined) return false;
  response.setHeader("access-control-allow-origin", headers.origin);
  response.setHeader("vary", "origin");
  if (method !== "OPTIONS") return false;
  response.setHeader("access-control-allow-methods", "GET, POST");
  response.setHeader("access-control-allow-headers", headers["access-control-request-headers"] ?? "");
  response.writeHead(200, { "access-control-max-age": "3600" }).end();
  return true;
}

const expected =
  "Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.";

/** The APIs whose emulators are configured by host and port only. */
const emulated = ["datastore.googleapis.com", "pubsub.googleapis.com", "storage.googleapis.com"];

function isGoogle(host: string): boolean {
  return /\.(?:googleapis\.com|google\.com|run\.app|pkg\.dev)$|^gcr\.io$/.test(host);
}

/** Returns a host without its region: `europe-west1-run.googleapis.com` is Cloud Run in one region. */
function canonical(host: string): string {
  const regional = /^[a-z]+-[a-z]+\d+-(\w+\.googleapis\.com)$/.exec(host)?.[1];
  return regional && routesByHost.has(regional) ? regional : host;
}

async function jsonBody(request: IncomingMessage, { route }: Match): Promise<unknown> {
  const text = (await bytesOf(request)).toString();
  if (text === "") return {};
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw badRequest([{ description: `Invalid JSON payload received. Unexpected token.\n${text.slice(0, 40)}\n^` }]);
  }
  validBody(route, body);
  return body;
}

/** Reads the whole body of a request. */
export async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** Sends the result of a method. */
export function writeAnswer(response: ServerResponse, answer: unknown): void {
  if (answer instanceof Reply) {
    response.writeHead(answer.status, answer.headers).end(answer.body);
    return;
  }
  const text = JSON.stringify(answer ?? {}, undefined, 2);
  response.writeHead(200, { "content-type": "application/json; charset=UTF-8" }).end(text);
}

function writeRefusal(response: ServerResponse, refusal: Refusal, style: ErrorStyle): void {
  response.writeHead(refusal.status, { "content-type": "application/json; charset=UTF-8" });
  response.end(JSON.stringify(errorBody(refusal, style), undefined, 2));
}

function notThere({ request, response }: Exchange): void {
  request.resume();
  response.writeHead(404, { "content-type": "text/html; charset=UTF-8" });
  response.end(
    `<!DOCTYPE html>\n<title>Error 404 (Not Found)!!1</title>\n<p>The requested URL <code>${(request.url ?? "").replaceAll(/[<>&"]/g, "")}</code> was not found on this server. <ins>That’s all we know.</ins>\n`,
  );
}

/** Starts a server on a free port. */
export async function listen(
  answer: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<{ server: Server; port: number }> {
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`fake cloud: ${request.method} ${request.url}: ${(error as Error).stack}\n`);
      if (!response.headersSent)
        writeRefusal(response, new Refusal("INTERNAL", "Internal error encountered."), "status");
      else response.destroy();
    });
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, handle);
  onUpgrade(server, handle);
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return { server, port: (server.address() as AddressInfo).port };
}

/** Stops a server and its connections. */
export async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
