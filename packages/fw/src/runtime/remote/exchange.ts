import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { RemoteBody } from "./body.ts";
import type { CallBounds } from "./bounds.ts";
import type { ServiceDirectory } from "./directory.ts";
import type { RemotePlace } from "./transport.ts";

/** A request to another service, as it is sent. */
export interface RemoteMessage {
  readonly services: ServiceDirectory;
  /** The service that it is for. */
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: RemoteBody;
}

/** The connection was refused, or closed before an answer. */
export class Unanswered extends Error {
  /** True where there was no connection at all. */
  readonly refused: boolean;
  /** True where the other side may have run the endpoint. */
  readonly mayHaveRun: boolean;
  /** True where some of an answer had come. */
  readonly begun: boolean;

  constructor(cause: NodeJS.ErrnoException, mayHaveRun: boolean, begun: boolean) {
    super(cause.message, { cause });
    this.refused = cause.code === "ECONNREFUSED";
    this.mayHaveRun = mayHaveRun;
    this.begun = begun;
  }
}

/** Milliseconds for which a connection counts as live after its last answer; no server closes one so early. */
const liveMs = 10;

/** When the last answer of a connection ended, on the clock of `performance.now`. */
const answeredAt = new WeakMap<Socket, number>();

/**
 * Sends a request once, on a connection of the agent or, with `alone`, on one of its own, and resolves with the head of the answer.
 * What changes something hands its body over only to a connection that was just heard on, so that one that the other side has
 * closed meanwhile is known to have run nothing. Rejects with an Unanswered, or with what ended the call.
 */
export function exchange(
  { transport, origin, host }: RemotePlace,
  { method, path, headers, body }: Pick<RemoteMessage, "method" | "path" | "headers" | "body">,
  bounds: CallBounds,
  alone: boolean,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const req = transport.request({
      protocol: origin.protocol,
      host: origin.hostname.replaceAll(/^\[|\]$/g, ""),
      port: origin.port,
      method,
      path,
      headers: host === undefined ? headers : { Host: host, ...headers },
      agent: alone ? false : transport.agent,
    });
    let handedOver = false;
    let answered = false;
    let bytesBefore = 0;
    let connection: Socket | undefined;
    const handOver = (): void => {
      handedOver = true;
      body.send({ req, isOpen: () => !answered && !req.destroyed }, bounds);
    };
    req.once("socket", (socket) => {
      bytesBefore = socket.bytesRead;
      connection = socket;
      if (isSafe(method) || isLive(socket)) return handOver();
      askFirst(req, body, handOver);
    });
    req.once("response", (res) => {
      answered = true;
      res.once("end", () => {
        if (!req.writableFinished) req.destroy();
        else if (connection !== undefined) answeredAt.set(connection, performance.now());
      });
      resolve(res);
    });
    req.on("error", (error: NodeJS.ErrnoException) => {
      if (!isConnectionError(error)) return reject(error);
      reject(
        new Unanswered(error, handedOver && error.code !== "ECONNREFUSED", (connection?.bytesRead ?? 0) > bytesBefore),
      );
    });
    bounds.onEnd((error) => req.destroy(error));
  });
}

/** True for methods that change nothing, so that running them twice does no harm. */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function isLive(socket: Socket): boolean {
  return performance.now() - (answeredAt.get(socket) ?? -Infinity) < liveMs;
}

/** Waits until the other side asks for the body, also where that is empty. */
function askFirst(req: ClientRequest, body: RemoteBody, handOver: () => void): void {
  req.setHeader("Expect", "100-continue");
  if (body.length === 0) {
    req.removeHeader("Content-Length");
    req.setHeader("Transfer-Encoding", "chunked");
  }
  req.once("continue", handOver);
  req.flushHeaders();
}

function isConnectionError({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE";
}
