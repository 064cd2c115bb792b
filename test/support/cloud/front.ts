import { createServer, request as connect, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { joinConnections, onUpgrade } from "../../../packages/fake-cloud/src/run/upgrade.ts";
import type { ManifestService } from "../../../packages/fw/src/build/manifest.ts";
import * as names from "../../../packages/fw/src/platform/gcp/names.ts";
import type { Deployed } from "./on-cloud.ts";
import { signInAs } from "./sign-in.ts";

/**
 * Serves all services of an application on one port, so that suites can send requests as in every other topology. Each
 * path leads to the service with its route. A sign-in as a test user becomes a sign-in through Identity Platform.
 */
export async function startFront(deployed: Deployed): Promise<{ port: number; close: () => Promise<void> }> {
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    answer(deployed, request, response).catch((error: unknown) => {
      response.destroy(error as Error);
    });
  };
  const server = createServer(handle);
  onUpgrade(server, handle);
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return { port: (server.address() as AddressInfo).port, close: () => close(server) };
}

async function answer(deployed: Deployed, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "/").split("?")[0] ?? "/";
  if (request.method === "POST" && path === "/_fw/api/session") {
    const body = await buffer(request);
    const signedIn = await signInAs(deployed, body, request.headers["content-type"]);
    return forward(deployed, signInService(deployed), request, response, signedIn ?? body);
  }
  const service = path.startsWith("/_fw/")
    ? signInService(deployed)
    : serviceOf(deployed, request.method ?? "GET", path);
  forward(deployed, service, request, response);
}

/** Forwards a request through Cloud Run, which sees the service's host. */
function forward(
  deployed: Deployed,
  service: ManifestService,
  request: IncomingMessage,
  response: ServerResponse,
  body?: Buffer,
): void {
  const url = names.serviceUrl(deployed.place, service.name);
  const here = `http://${request.headers.host}`;
  const { origin, referer, ...headers } = request.headers;
  const outgoing = connect(
    `${deployed.fake.url}${request.url ?? "/"}`,
    {
      method: request.method ?? "GET",
      headers: {
        ...headers,
        host: new URL(url).host,
        ...(origin !== undefined && { origin: origin === here ? url : origin }),
        ...(referer !== undefined && { referer: referer.replace(here, url) }),
        ...(body && { "content-length": String(body.length) }),
      },
    },
    (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.rawHeaders);
      response.flushHeaders();
      answered.pipe(response);
    },
  );
  outgoing.on("error", () => response.destroy());
  outgoing.on("upgrade", (agreed, service, head) => joinConnections(response, agreed, service, head));
  response.on("close", () => outgoing.destroy());
  if (body) outgoing.end(body);
  else request.pipe(outgoing);
}

/** Returns the service that has the route; without one, the service of the site. */
function serviceOf({ manifest }: Deployed, method: string, path: string): ManifestService {
  const apps = manifest.services.filter(({ kind }) => kind === "app");
  const candidates = apps.flatMap((service) => service.routes.map(({ route }) => ({ service, route })));
  const routeMethod = method === "HEAD" ? "GET" : method;
  const fitting = candidates.filter(({ route }) => patternOf(route).test(path));
  const [best] = fitting.toSorted((a, b) => rank(a.route, routeMethod) - rank(b.route, routeMethod));
  const site = apps.find(({ site }) => site !== "") ?? apps[0];
  const found = best?.service ?? site;
  if (!found) throw new Error("the application has no service that answers");
  return found;
}

/** Prefers routes of the method itself, then routes with fewer wildcards. */
function rank(route: string, method: string): number {
  return (route.startsWith(`${method} `) ? 0 : 100) + (route.match(/\{/g)?.length ?? 0);
}

function patternOf(route: string): RegExp {
  const [, pattern = ""] = route.split(" ");
  const source = pattern.split(/\{[^}]+\}/).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${source.join("[^/]+")}/?$`);
}

/** Returns the service that creates sessions. */
function signInService({ manifest }: Deployed): ManifestService {
  const apps = manifest.services.filter(({ kind }) => kind === "app");
  const begins = apps.find(({ framework }) =>
    framework.some(({ name, operations }) => name === "_fw_sessions" && operations.includes("create")),
  );
  const found = begins ?? apps[0];
  if (!found) throw new Error("the application has no service that answers");
  return found;
}

async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
}
