import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { shutdownMs } from "../lib/limits.ts";
import { guardedHandler } from "../runtime/guarded-handler.ts";
import type { Handler } from "../runtime/handler.ts";
import type { Request } from "../runtime/request.ts";
import { serve } from "../runtime/server.ts";
import { exchange, parseAnswer } from "../runtime/testing/server.ts";
import { listenForFront } from "../service/local/relay/listen.ts";
import { Forwarder } from "./forward.ts";
import type { Forwards } from "./forwarding.ts";
import { openFront } from "./front.ts";
import type { ListeningPool, PoolOf } from "./listening.ts";
import { RelayForwarder } from "./relay-forwarder.ts";

interface Transport {
  readonly listen: (handler: Handler) => Promise<{ readonly port: number; close(): Promise<void> }>;
  readonly forwarder: (poolOf: PoolOf) => Forwards;
}

const unavailable = (service: string): string => `the service ${service} is not running`;

const transports: Readonly<Record<string, Transport>> = {
  "over HTTP": {
    listen: (handler) => serve(handler, { port: 0, host: "127.0.0.1" }),
    forwarder: (poolOf) => new Forwarder({ poolOf, unavailable, signature: () => ["X-Fw-Forwarded", ""] }),
  },
  "over a relay": {
    listen: (handler) => listenForFront({ handler, forwards: () => true, acceptsUpgrades: true, drainMs: 0 }),
    forwarder: (poolOf) => new RelayForwarder({ poolOf, unavailable, tokenFor: () => "" }),
  },
};

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Returns a port on which nothing listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

/** Runs a service behind a port. `kill` resets its connections, like a killed process. */
async function killableService(
  { listen }: Transport,
  respond: (request: Request) => void,
): Promise<{ readonly port: number; readonly kill: () => void }> {
  const service = await listen(guardedHandler({ log: () => {} }, respond));
  const sockets = new Set<Socket>();
  const before = createServer((client) => {
    const inner = connect(service.port, "127.0.0.1");
    for (const socket of [client, inner]) sockets.add(socket.on("error", () => {}));
    client.pipe(inner).pipe(client);
  });
  const kill = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  onTestFinished(async () => {
    kill();
    before.close();
    await service.close();
  });
  return { port: await portOf(before), kill };
}

async function openFrontOf({ forwarder }: Transport, poolOf: PoolOf): Promise<number> {
  const front = await openFront({
    listens: { port: 0, host: "127.0.0.1" },
    log: () => {},
    targetOf: () => ({ service: "orders" }),
    forwarder: forwarder(poolOf),
  });
  onTestFinished(() => front.close());
  return front.port;
}

function poolAt(port: () => number): ListeningPool {
  return {
    ready: undefined,
    hasFailed: false,
    use: (work) => {
      const current = port();
      return work(current, current);
    },
  };
}

function sendText({ exchange: each }: Request, text: string): void {
  each.send(200, ["Content-Length", text.length], text, "utf8");
}

describe.each(Object.entries(transports))("a request %s", (_, transport) => {
  test("reaches a service whose restart takes longer than the attempts may", async () => {
    const { port } = await killableService(transport, (request) => sendText(request, "restarted"));
    const deadPort = await closedPort();
    let skippedMs = 0;
    const now = performance.now.bind(performance);
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + skippedMs);
    onTestFinished(() => clock.mockRestore());
    // The first process has ended, and the next one does not accept the first connection either.
    const ports = [deadPort, deadPort, port];
    const running = poolAt(() => ports.shift() ?? port);
    const restarting: ListeningPool = { ...running, ready: Promise.resolve() };
    const pools = [running, restarting, restarting];
    const poolOf = (): ListeningPool => {
      const pool = pools.shift() ?? running;
      // During the restart, the time passes that all attempts may take together.
      if (pool === restarting) skippedMs = shutdownMs + 1;
      return pool;
    };
    const front = await openFrontOf(transport, poolOf);
    const answer = parseAnswer(await exchange(front, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    expect(answer).toMatchObject({ status: 200, body: "restarted" });
  });

  const head = "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 10\r\n\r\n";

  test("is cut if its service is killed while the client still sends it", async () => {
    const { port, kill } = await killableService(transport, ({ exchange: each }) =>
      each.read({ take: () => kill(), end: () => {} }),
    );
    const front = await openFrontOf(transport, () => poolAt(() => port));
    expect(await exchange(front, `${head}12`)).toBe("");
  });

  test("gets a 502 if its service is killed after the client has sent it", async () => {
    const { port, kill } = await killableService(transport, ({ exchange: each }) =>
      each.read({ take: () => {}, end: (isWhole) => void (isWhole && kill()) }),
    );
    const front = await openFrontOf(transport, () => poolAt(() => port));
    const answer = parseAnswer(await exchange(front, `${head}1234567890`));
    expect(answer).toMatchObject({ status: 502, body: expect.stringContaining("orders does not respond") });
  });
});
