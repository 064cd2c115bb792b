import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request that the test server received. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Responds to a request; `times` is 1 for the first, 2 for the second, and so on. */
export type Reply = (asked: Asked, res: ServerResponse, times: number) => void | Promise<void>;

/** Starts an HTTP server for the current test that responds as scripted and records its requests. */
export async function google(reply: Reply): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((req, res) => {
    void text(req)
      .then((body) => {
        const one = { method: req.method ?? "", url: req.url ?? "", headers: req.headers, body };
        return reply(one, res, asked.push(one));
      })
      // No response if the request is cut off or `reply` throws.
      .catch(() => res.destroy());
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export function json(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  res.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

/** Sends an error in Google's format. */
export function refuse(res: ServerResponse, code: number, status: string, headers: Record<string, string> = {}): void {
  json(res, code, { error: { code, status, message: `no: ${status}` } }, headers);
}
