import { ServerResponse, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import { pipeline, type Duplex } from "node:stream";

/** Routes upgrade requests to the regular handler, which can take over the connection (`joinConnections`). */
export function onUpgrade(server: Server, answer: (request: IncomingMessage, response: ServerResponse) => void): void {
  server.on("upgrade", (request: IncomingMessage, stream: Duplex, head: Buffer) => {
    const socket = stream as Socket;
    socket.on("error", () => socket.destroy());
    socket.unshift(head);
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    // Node no longer manages an upgraded connection, so close it after an ordinary response.
    response.once("finish", () => socket.destroySoon());
    answer(request, response);
  });
}

/** Forwards bytes in both directions once a container has accepted the upgrade. */
export function joinConnections(
  response: ServerResponse,
  agreed: IncomingMessage,
  container: Duplex,
  head: Buffer,
): void {
  const visitor = response.socket;
  if (visitor === null) return void container.destroy();
  response.detachSocket(visitor);
  const { rawHeaders } = agreed;
  const lines = rawHeaders.flatMap((name, i) => (i % 2 === 0 ? [`${name}: ${rawHeaders[i + 1]}`] : []));
  visitor.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join("\r\n")}\r\n\r\n`);
  visitor.write(head);
  pipeline(visitor, container, visitor, () => {
    visitor.destroy();
    container.destroy();
  });
}
