import {
  createServer,
  request as connect,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type RequestOptions,
} from "node:http";
import { connect as openConnection, type AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { PostgresPlatform } from "../../../packages/fw/src/platform/postgres/open.ts";
import { passwordSignIn } from "./sign-in.ts";

/**
 * Starts a load balancer that sends each request to the next machine. It turns a test user's sign-in into one with a
 * password, because `fw serve` has no other.
 */
export async function startFront(
  ports: readonly number[],
  platform: PostgresPlatform,
): Promise<{ readonly port: number; close(): Promise<void> }> {
  let requests = 0;
  const targetOf = ({ method, url, headers, socket }: IncomingMessage): RequestOptions => ({
    host: "127.0.0.1",
    port: ports[requests++ % ports.length],
    method,
    path: url,
    headers: { ...headers, "x-forwarded-for": socket.remoteAddress, "x-forwarded-proto": "http" },
  });
  const server = createServer((request, response) => {
    const target = targetOf(request);
    const forward = (body?: Buffer): void => {
      const length = body && { "content-length": String(body.length) };
      const outgoing = connect({ ...target, headers: { ...target.headers, ...length } } as RequestOptions, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.statusMessage, answer.rawHeaders);
        response.flushHeaders();
        answer.pipe(response, { end: false });
        // A machine may refuse a body early. Closing before the client has sent the rest would reset the connection.
        answer.on("end", () => {
          request.unpipe();
          if (request.readableEnded) response.end();
          else request.resume().once("end", () => response.end());
        });
        answer.on("error", () => response.destroy());
      });
      outgoing.on("error", () => !response.headersSent && response.destroy());
      response.on("close", () => outgoing.destroy());
      if (body === undefined) request.pipe(outgoing);
      else outgoing.end(body);
    };
    if (request.method !== "POST" || request.url !== "/_fw/api/session") return forward();
    const translate = async (): Promise<void> => {
      const body = await buffer(request);
      forward((await passwordSignIn(platform, body, request.headers["content-type"])) ?? body);
    };
    void translate().catch((error: Error) => response.destroy(error));
  });
  // After a request to upgrade the protocol, the connection belongs to the machine.
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const { port, headers } = targetOf(request);
    const machine = openConnection({ host: "127.0.0.1", port: Number(port) });
    machine.write(headOf(request, headers as OutgoingHttpHeaders));
    machine.write(head);
    machine.pipe(socket).pipe(machine);
    for (const [one, other] of [
      [machine, socket],
      [socket, machine],
    ] as const) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  // A client may reuse a connection at any time.
  server.keepAliveTimeout = 0;
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function headOf({ method, url }: IncomingMessage, headers: OutgoingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((each) => `${name}: ${each}`),
  );
  return `${[`${method} ${url} HTTP/1.1`, ...lines].join("\r\n")}\r\n\r\n`;
}
