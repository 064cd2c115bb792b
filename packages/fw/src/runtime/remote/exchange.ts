import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import type { Socket } from "node:net";
import type { RemoteBody } from "./body.ts";
import type { CallBounds } from "./bounds.ts";
import type { ServiceDirectory } from "./directory.ts";
import type { RemoteAddress } from "./transport.ts";

export interface RemoteMessage {
  readonly services: ServiceDirectory;
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: RemoteBody;
}

/** Thrown if the connection was refused, or was closed before the head of the response was complete. */
export class Unanswered extends Error {
  /** True if there was no connection at all. */
  readonly wasRefused: boolean;
  /** True if the other side may have run the endpoint. */
  readonly mayHaveRun: boolean;
  /** True if part of the response had arrived. */
  readonly hasPartialAnswer: boolean;

  constructor(cause: NodeJS.ErrnoException, mayHaveRun: boolean, hasPartialAnswer: boolean) {
    super(cause.message, { cause });
    this.wasRefused = cause.code === "ECONNREFUSED";
    this.mayHaveRun = mayHaveRun;
    this.hasPartialAnswer = hasPartialAnswer;
  }
}

/** How long a connection counts as live after a response, in milliseconds. No server closes it that soon. */
const liveMs = 10;

/** The time at which the last response on a connection ended, on the clock of `performance.now`. */
const answeredAt = new WeakMap<Socket, number>();

/**
 * Sends a request once, on a pooled or a new connection, and resolves with the head of the response. Sends the body of
 * an unsafe request only on a live connection or after 100-continue, so an attempt on a stale connection has no effect.
 * Rejects with an Unanswered, or with the reason that ended the call.
 */
export function exchange(
  { transport, origin, host }: RemoteAddress,
  { method, path, headers, body }: Pick<RemoteMessage, "method" | "path" | "headers" | "body">,
  bounds: CallBounds,
  isNewConnection: boolean,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const req = transport.request({
      protocol: origin.protocol,
      host: origin.hostname.replaceAll(/^\[|\]$/g, ""),
      port: origin.port,
      method,
      path,
      headers: host === undefined ? headers : { Host: host, ...headers },
      agent: isNewConnection ? false : transport.agent,
    });
    let hasSentBody = false;
    let isAnswered = false;
    let bytesBefore = 0;
    let connection: Socket | undefined;
    const sendBody = (): void => {
      hasSentBody = true;
      body.send({ req, isOpen: () => !isAnswered && !req.destroyed }, bounds);
    };
    req.once("socket", (socket) => {
      bytesBefore = socket.bytesRead;
      connection = socket;
      if (isSafe(method) || isLive(socket)) return sendBody();
      sendAfterContinue(req, body, sendBody);
    });
    req.once("response", (res) => {
      isAnswered = true;
      res.once("end", () => {
        if (!req.writableFinished) req.destroy();
        else if (connection !== undefined) answeredAt.set(connection, performance.now());
      });
      resolve(res);
    });
    req.on("error", (error: NodeJS.ErrnoException) => {
      if (!isConnectionError(error)) return reject(error);
      reject(
        new Unanswered(error, hasSentBody && error.code !== "ECONNREFUSED", (connection?.bytesRead ?? 0) > bytesBefore),
      );
    });
    bounds.onEnd((error) => req.destroy(error));
  });
}

/** True for methods without side effects, which may run twice. */
export function isSafe(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

function isLive(socket: Socket): boolean {
  return performance.now() - (answeredAt.get(socket) ?? -Infinity) < liveMs;
}

/** Waits for 100-continue before sending the body, even if the body is empty. */
function sendAfterContinue(req: ClientRequest, body: RemoteBody, sendBody: () => void): void {
  req.setHeader("Expect", "100-continue");
  if (body.length === 0) {
    req.removeHeader("Content-Length");
    req.setHeader("Transfer-Encoding", "chunked");
  }
  req.once("continue", sendBody);
  req.flushHeaders();
}

function isConnectionError({ code }: NodeJS.ErrnoException): boolean {
  return code === "ECONNREFUSED" || code === "ECONNRESET" || code === "EPIPE";
}
