import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { messages } from "../../error-messages.ts";
import { connectionOf, type Connection } from "./connection.ts";
import { afterResponses } from "./pending-responses.ts";

const statuses: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: messages.headersTooLarge },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: messages.badRequest },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: messages.tooSlow },
};

/**
 * Responds to a request that node's parser refused, and closes the connection, because the end of the request is
 * unknown. Complete earlier requests get their responses first. Sends nothing if the response to the refused request
 * has begun, or if others come before it.
 */
export function answerParseError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const connection = connectionOf(socket as Socket);
  if (connection.hasRefused) return;
  connection.hasRefused = true;
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const { status, message } = statuses[error.code ?? ""] ?? { status: 400, message: messages.badRequest };
  const answer = (): void => void socket.end(plainResponse(status, message), () => socket.destroy());
  const { active, latest } = connection;
  if (active > 0 && latest?.req.complete) latest.once("close", answer);
  else if (isAnswering(connection)) socket.destroy();
  else answer();
}

function isAnswering({ active, latest }: Connection): boolean {
  return active > 1 || (active === 1 && latest?.headersSent !== false);
}

/** Responds to CONNECT with 405, because a service is not a proxy. */
export function refuseTunnel(_req: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  afterResponses(socket as Socket, () =>
    socket.end(plainResponse(405, messages.methodNotAllowed), () => socket.destroy()),
  );
}

/** Responds with 417, because HTTP defines only one expectation. */
export function refuseExpectation(_req: IncomingMessage, res: ServerResponse): void {
  res.writeHead(417, {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    Connection: "close",
  });
  res.end(messages.expectation);
}

function plainResponse(status: number, message: string): string {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  const headers = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(message)}\r\nX-Content-Type-Options: nosniff\r\nConnection: close`;
  return `${head}\r\n${headers}\r\n\r\n${message}`;
}
