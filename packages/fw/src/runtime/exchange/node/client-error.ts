import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { messages } from "../../error-messages.ts";
import { afterResponses, connectionOf, type Connection } from "./connection.ts";

/** The status and message for each error of Node's parser. */
const refusals: Readonly<Record<string, readonly [number, string]>> = {
  HPE_HEADER_OVERFLOW: [431, messages.headersTooLarge],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, messages.badRequest],
  ERR_HTTP_REQUEST_TIMEOUT: [408, messages.tooSlow],
};

/**
 * Responds to a request that Node's parser refused, and closes the connection because the end of the request is
 * unknown. Responses to earlier complete requests are sent first. Only closes the connection if the response to the
 * refused request has started or earlier responses are pending.
 */
export function answerParseError(error: NodeJS.ErrnoException, socket: Duplex): void {
  const connection = connectionOf(socket as Socket);
  if (connection.hasRefused) return;
  connection.hasRefused = true;
  if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
  const [status, message] = refusals[error.code ?? ""] ?? [400, messages.badRequest];
  const answer = (): void => refuse(socket, status, message);
  const { active, latest } = connection;
  if (active > 0 && latest?.req.complete) latest.once("close", answer);
  else if (isAnswering(connection)) socket.destroy();
  else answer();
}

function isAnswering({ active, latest }: Connection): boolean {
  return active > 1 || (active === 1 && latest?.headersSent !== false);
}

/** Responds to CONNECT with 405, because services are not proxies. */
export function refuseTunnel(_req: IncomingMessage, socket: Duplex): void {
  socket.on("error", () => socket.destroy());
  afterResponses(socket as Socket, () => refuse(socket, 405, messages.methodNotAllowed));
}

/** Responds with 417 to an unknown Expect header, because HTTP defines only 100-continue. */
export function refuseExpectation(_req: IncomingMessage, res: ServerResponse): void {
  res.writeHead(417, {
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    Connection: "close",
  });
  res.end(messages.expectation);
}

/** Sends a plain-text response and closes the connection. */
function refuse(socket: Duplex, status: number, message: string): void {
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}`;
  const headers = `Content-Type: text/plain; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(message)}\r\nX-Content-Type-Options: nosniff\r\nConnection: close`;
  socket.end(`${head}\r\n${headers}\r\n\r\n${message}`, () => socket.destroy());
}
