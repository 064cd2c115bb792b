import { createServer, request as outgoing, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { hostNameOf } from "../lib/host-name.ts";
import { messages } from "../runtime/messages.ts";
import type { ServiceProcess } from "./process.ts";

/** Where a request goes, or why it goes nowhere. */
export type Destination =
  | { readonly service: ServiceProcess }
  | { readonly status: 403 | 404; readonly message: string };

export interface FrontOptions {
  readonly port: number;
  /** What it listens on. */
  readonly host: string;
  readonly isOwnHost: (header: string | undefined) => boolean;
}

export interface Front {
  readonly port: number;
  close(): Promise<void>;
}

/** Headers that are between two hops only. */
const hopByHop = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The one port before all services: hands each request to the service that has its route. */
export async function openFront(
  { port, host, isOwnHost }: FrontOptions,
  destinationOf: (method: string, path: string) => Destination,
): Promise<Front> {
  const server = createServer((req, res) => {
    const named = req.headers.host;
    if (!isOwnHost(named)) return refuse(res, 403, messages.foreignHost(hostNameOf(named)));
    const url = req.url ?? "/";
    const question = url.indexOf("?");
    const destination = destinationOf(req.method ?? "GET", question === -1 ? url : url.slice(0, question));
    if ("service" in destination) void forward(req, res, destination.service);
    else refuse(res, destination.status, destination.message);
  });
  await listen(server, port, host);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

/** A service that is being started has what was not sent yet as soon as it listens. */
async function forward(req: IncomingMessage, res: ServerResponse, service: ServiceProcess): Promise<void> {
  const socket = await reach(service);
  if (socket === undefined) return refuse(res, 502, unreachable(service));
  const { method, url } = req;
  const request = outgoing({ createConnection: () => socket, method, path: url, headers: forwardedHeaders(req) });
  request.on("response", (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
    answer.pipe(res);
    answer.on("error", () => res.destroy());
  });
  request.on("error", () => {
    if (res.headersSent) res.destroy();
    else refuse(res, 502, unreachable(service));
  });
  res.on("close", () => request.destroy());
  req.pipe(request);
}

/** How often the connection is tried again while the service is started. */
const mostTries = 100;

async function reach(service: ServiceProcess): Promise<Socket | undefined> {
  for (let tries = 0; tries < mostTries; tries++) {
    await service.ready;
    const socket = await connected(service.port);
    if (socket !== undefined) return socket;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return undefined;
}

function connected(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

/** As the platform's front does: the client's address is appended, and what only platforms may say is left out. */
function forwardedHeaders({ headers, socket }: IncomingMessage): Record<string, string | string[]> {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string | string[]][] =>
    value === undefined || hopByHop.has(name) ? [] : [[name, value]],
  );
  const before = headers["x-forwarded-for"];
  const address = socket.remoteAddress ?? "";
  return {
    ...Object.fromEntries(kept),
    "x-forwarded-for": before === undefined ? address : `${String(before)}, ${address}`,
    "x-forwarded-proto": "http",
  };
}

function endToEnd(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [name = "", value = ""] = [raw[i], raw[i + 1]];
    if (!hopByHop.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

function unreachable({ name }: ServiceProcess): string {
  return `the service ${name} does not answer`;
}

function refuse(res: ServerResponse, status: number, message: string): void {
  res.writeHead(status, { "content-type": "application/json", "cache-control": "no-cache" });
  res.end(JSON.stringify({ error: message }));
}
