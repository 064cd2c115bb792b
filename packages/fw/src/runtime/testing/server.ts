import { type RequestListener, createServer } from "node:http";
import { type AddressInfo, type Socket, connect } from "node:net";
import { setTimeout } from "node:timers/promises";
import { NodeExchange } from "../exchange/node/node-exchange.ts";
import type { Replying } from "../response/send.ts";

export interface TestServer {
  readonly port: number;
  readonly url: string;
  /** Returns the error of the handler that failed last. */
  failure(): unknown;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A request to a plain server, and its response. */
export interface ServedRequest extends Replying {
  readonly exchange: NodeExchange;
}

function servedOf(exchange: NodeExchange): ServedRequest {
  return { exchange, requestId: "test", collected: undefined, finish() {} };
}

/**
 * Starts a plain node:http server around one function. If the function rejects, the response is a 500, or the
 * connection is cut if anything was already sent.
 */
export async function serve(handler: (request: ServedRequest) => unknown): Promise<TestServer> {
  let failure: unknown;
  const listener: RequestListener = (req, res) => {
    void (async () => handler(servedOf(new NodeExchange(req, res, false))))().catch((error: unknown) => {
      failure = error;
      if (res.headersSent) req.socket.destroy();
      else res.writeHead(500, { Connection: "close" }).end();
    });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    failure: () => failure,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Sends raw bytes and reads until the server closes the connection. */
export function exchange(port: number, request: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("close", () => resolve(Buffer.concat(chunks).toString("latin1")));
    socket.on("error", (error: NodeJS.ErrnoException) => (error.code === "ECONNRESET" ? undefined : reject(error)));
  });
}

/** Sends a GET request. Resolves with the paused socket once the response starts. */
export function beginReading(port: number, target: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`));
    socket.once("error", reject);
    socket.once("data", () => resolve(socket.pause()));
  });
}

/** Sends one request on its own connection, with its target unchanged. */
export async function request(
  port: number,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
  body = "",
): Promise<RawAnswer> {
  const lines = Object.entries({ Host: "x", Connection: "close", ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return parseAnswer(await exchange(port, `${method} ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`));
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const body = text.slice(end + 4);
  const all = new Map(headers);
  const chunked = all.get("transfer-encoding") === "chunked";
  return { status: Number(statusLine.split(" ")[1]), headers: all, body: chunked ? dechunked(body) : body };
}

function dechunked(text: string): string {
  const line = text.indexOf("\r\n");
  const size = Number.parseInt(text.slice(0, line), 16);
  if (line === -1 || !(size > 0)) return "";
  return text.slice(line + 2, line + 2 + size) + dechunked(text.slice(line + 4 + size));
}

/** Resolves once a condition is true. Rejects if that takes longer than anything should. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 240_000;
  for (let pauseMs = 1; !(await condition()); pauseMs = Math.min(2 * pauseMs, 16)) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`);
    // Leaves the processor to others between polls.
    await setTimeout(pauseMs);
  }
}
