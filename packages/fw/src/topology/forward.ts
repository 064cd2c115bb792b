import { request as outgoing, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import { listening, type ProcessOf } from "./listening.ts";
import { refuse } from "./refuse.ts";

/** Headers that are between two hops only. */
const hopByHop = new Set([
  "connection",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** How often the connection is tried again while the service is started. */
const mostTries = 100;

/** Milliseconds between two tries. */
const pauseMs = 20;

/** Hands a request to a service. One that is being started has what was not sent yet as soon as it listens. */
export async function forward(
  req: IncomingMessage,
  res: ServerResponse,
  service: string,
  processOf: ProcessOf,
): Promise<void> {
  for (let tries = 0; tries < mostTries; tries++) {
    const process = await listening(service, processOf);
    if (process === undefined) break;
    const answered = await process.use(async () => {
      const socket = await connected(process.port);
      if (socket !== undefined) await exchange(req, res, service, socket);
      return socket !== undefined;
    });
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  refuse(res, 502, unreachable(service));
}

function connected(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(socket));
    socket.once("error", () => resolve(undefined));
  });
}

/** Resolves when the answer is over, whichever end it takes. */
function exchange(req: IncomingMessage, res: ServerResponse, service: string, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const { method, url } = req;
    const request = outgoing({ createConnection: () => socket, method, path: url, headers: forwardedHeaders(req) });
    request.on("response", (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.statusMessage, endToEnd(answer.rawHeaders));
      answer.pipe(res);
      answer.on("error", () => res.destroy());
    });
    request.on("error", () => {
      if (res.headersSent) res.destroy();
      else refuse(res, 502, unreachable(service));
    });
    res.once("close", () => {
      request.destroy();
      resolve();
    });
    if (res.closed) resolve(void request.destroy());
    else req.pipe(request);
  });
}

/** As the platform's front does: the client's address is appended, and what only platforms may say is left out. */
function forwardedHeaders({ headers, socket }: IncomingMessage): Record<string, string | string[]> {
  const kept = Object.entries(headers).flatMap(([name, value]): [string, string | string[]][] =>
    value === undefined || hopByHop.has(name) ? [] : [[name, value]],
  );
  const before = headers["x-forwarded-for"];
  const address = socket.remoteAddress ?? "";
  return {
    ...Object.fromEntries(kept),
    "x-forwarded-for": before === undefined ? address : `${String(before)}, ${address}`,
    "x-forwarded-proto": "http",
  };
}

function endToEnd(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const [name = "", value = ""] = [raw[i], raw[i + 1]];
    if (!hopByHop.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

function unreachable(service: string): string {
  return `the service ${service} does not answer`;
}
