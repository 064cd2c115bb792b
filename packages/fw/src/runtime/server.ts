import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { drainMs } from "../lib/limits.ts";
import { answerParseError, refuseExpectation, refuseTunnel } from "./exchange/node/client-error.ts";
import { drain } from "./exchange/node/drain.ts";
import { connectionOf } from "./exchange/node/connection.ts";
import { NodeExchange } from "./exchange/node/node-exchange.ts";
import { onUpgrade } from "./exchange/node/upgrade.ts";
import { cutSlowClients } from "./exchange/node/slow-clients.ts";
import type { Handler } from "./handler.ts";

/** Limit: bytes of a request's line and headers; a longer head gets a 431. */
const headerBytes = 16 * 1024;

/** Limit: milliseconds that a client may take for a request's headers. */
const headersMs = 30_000;

/** Limit: milliseconds after which a body must have averaged at least `bodyBytesPerSecond`. */
const bodyMs = 50_000;

/** Limit: milliseconds that a client may leave a response unread. */
const stalledMs = 55_000;

/** Limit: the keep-alive timeout of an idle connection, in milliseconds. */
const keepAliveMs = 65_000;

/** Limit: milliseconds between two checks for slow clients. */
const slowCheckMs = 5_000;

export type Listens =
  /** Port 0 selects a free port; listens on all interfaces by default. */
  | { readonly port: number; readonly host?: string }
  /** A socket that the parent process opened, by its file descriptor. */
  | { readonly fd: number };

export type ServeOptions = Listens & {
  /** Overrides the defaults, in milliseconds. */
  readonly times?: Partial<ServerTimes>;
};

/** In milliseconds; each defaults to the limit of the same name. */
export interface ServerTimes {
  readonly headersMs: number;
  readonly bodyMs: number;
  readonly slowCheckMs: number;
  readonly stalledMs: number;
  readonly keepAliveMs: number;
  readonly drainMs: number;
}

export interface RunningServer {
  readonly port: number;
  /** Changes the handler, starting with the next request. */
  swap(handler: Handler): void;
  /**
   * Stops listening. Resolves after the last response, or at the drain's time limit, when remaining requests are
   * aborted and their connections are closed.
   */
  close(): Promise<void>;
  cut(): void;
}

/** A server without a port. Another process accepts its connections. */
export interface HandedServer extends Omit<RunningServer, "port"> {
  accept(socket: Socket): void;
}

/** Listens and handles requests with `handler`. Rejects with the system's error if it cannot listen. */
export async function serve(handler: Handler, options: ServeOptions): Promise<RunningServer> {
  const { server, ...running } = answering(handler, options.times);
  await listen(server, options);
  return { port: (server.address() as AddressInfo).port, ...running };
}

/** Handles requests on connections that are passed to it. */
export function serveHanded(handler: Handler, times: Partial<ServerTimes> = {}): HandedServer {
  const { server, ...running } = answering(handler, times);
  // Node starts its check for slow clients on this event.
  server.emit("listening");
  const accept = (socket: Socket): void => {
    socket.allowHalfOpen = true;
    socket.setNoDelay(true);
    server.emit("connection", socket);
  };
  return { accept, ...running };
}

function answering(
  handler: Handler,
  changed: Partial<ServerTimes> = {},
): Omit<RunningServer, "port"> & { readonly server: Server } {
  const times: ServerTimes = { headersMs, bodyMs, slowCheckMs, stalledMs, keepAliveMs, drainMs, ...changed };
  let current = handler;
  const server = createServer(httpOptions(times));
  const connections = track(server);
  const looks = setInterval(() => cutSlowClients(connections, times), times.slowCheckMs).unref();
  server.once("close", () => clearInterval(looks));
  server.maxHeadersCount = 0;
  // Ignore what follows a malformed request, because it cannot be interpreted.
  const handle = (req: IncomingMessage, res: ServerResponse, waitsToSend: boolean): void => {
    if (!connectionOf(req.socket).hasRefused) current(new NodeExchange(req, res, waitsToSend));
  };
  server.on("request", (req, res) => handle(req, res, false));
  server.on("checkContinue", (req, res) => handle(req, res, true));
  server.on("checkExpectation", refuseExpectation);
  server.on("clientError", answerParseError);
  server.on("connect", refuseTunnel);
  onUpgrade(server, (exchange) => current(exchange));
  return {
    server,
    swap: (next) => void (current = next),
    close: () => drain(server, connections, times.drainMs),
    cut: () => {
      for (const socket of connections) socket.destroy();
    },
  };
}

function httpOptions(times: ServerTimes): ServerOptions {
  // Without a body, a request then has no stream that must be read to its end. Node before 24.12 ignores this option.
  const withoutEmptyStreams = { optimizeEmptyRequests: true };
  return {
    ...withoutEmptyStreams,
    // The guard refuses requests without a Host like every other malformed request.
    requireHostHeader: false,
    joinDuplicateHeaders: true,
    insecureHTTPParser: false,
    maxHeaderSize: headerBytes,
    headersTimeout: times.headersMs,
    // Large uploads may take long, so the pace of bodies is limited instead.
    requestTimeout: 0,
    connectionsCheckingInterval: times.slowCheckMs,
    keepAliveTimeout: times.keepAliveMs,
    noDelay: true,
  };
}

function track(server: Server): ReadonlySet<Socket> {
  const connections = new Set<Socket>();
  // Sharing one function between all connections saves memory with thousands of idle ones.
  function forget(this: Socket): void {
    connections.delete(this);
  }
  server.on("connection", (socket) => {
    connections.add(socket);
    // Not a leak: each of many pipelined requests listens for the end of its connection.
    socket.setMaxListeners(0);
    socket.on("close", forget);
  });
  return connections;
}

function listen(server: Server, options: ServeOptions): Promise<void> {
  const at = "fd" in options ? { fd: options.fd } : { port: options.port, host: options.host };
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(at, () => {
      server.off("error", reject);
      resolve();
    });
  });
}
