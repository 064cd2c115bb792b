import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a service received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  // The body, whose type the test knows.
  readonly json: never;
}

/** Starts a service for tests that records its requests and responds as scripted. */
export async function testService(answer: (received: Received, before: number) => number = () => 200) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const { method = "", url = "", headers } = request;
      const json = (body.startsWith("{") ? JSON.parse(body) : undefined) as never;
      const one = { method, url, headers, body, json };
      received.push(one);
      response.writeHead(answer(one, received.length - 1)).end("answered");
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
