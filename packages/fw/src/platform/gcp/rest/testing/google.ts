import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A request that a test's Google got. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** What a test's Google does with a request, the first time, the second … */
export type Reply = (asked: Asked, res: ServerResponse, times: number) => void | Promise<void>;

/** An HTTP server for the test that runs, which answers as it is told and keeps what it was asked. */
export async function google(reply: Reply): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((req, res) => {
    void text(req)
      .then((body) => {
        const one = { method: req.method ?? "", url: req.url ?? "", headers: req.headers, body };
        return reply(one, res, asked.push(one));
      })
      // A request that breaks off is answered to nobody.
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

/** An error as Google writes it. */
export function refuse(res: ServerResponse, code: number, status: string, headers: Record<string, string> = {}): void {
  json(res, code, { error: { code, status, message: `no: ${status}` } }, headers);
}
