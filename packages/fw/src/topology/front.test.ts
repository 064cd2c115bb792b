import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { exchange, parseAnswer, type RawAnswer } from "../runtime/testing/server.ts";
import { Forwarder } from "./forward.ts";
import { openFront, type FrontOptions } from "./front.ts";
import type { PoolOf } from "./listening.ts";

async function requested(request: string, options: Partial<FrontOptions> = {}): Promise<RawAnswer> {
  const front = await openFront({
    listens: { port: 0, host: "127.0.0.1" },
    log: () => {},
    targetOf: () => ({ status: 404, message: "asked" }),
    forwarder: forwarderTo(() => undefined),
    ...options,
  });
  try {
    return parseAnswer(await exchange(front.port, request));
  } finally {
    await front.close();
  }
}

function forwarderTo(poolOf: PoolOf): Forwarder {
  return new Forwarder({
    poolOf,
    unavailable: (service) => `the service ${service} does not run`,
    signature: () => ["X-Fw-Forwarded", ""],
  });
}

function get(host: string): string {
  return `GET /orders HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
}

test("the one port before all services refuses names of other sites, and says what to type", async () => {
  const isOwnHost = (header: string | undefined): boolean => header === "localhost";
  expect(await requested(get("evil.example"), { isOwnHost })).toMatchObject({
    status: 403,
    body: `{"error":"the dev server answers only to local names; to allow this one, start it with --allowed-host evil.example"}`,
  });
  expect(await requested(get("localhost"), { isOwnHost })).toMatchObject({ status: 404, body: `{"error":"asked"}` });
});

test("a refusal of the one port before all services has what those of the services have", async () => {
  const { headers } = await requested(get("localhost"), { targetOf: () => ({ status: 403, message: "asked" }) });
  expect(Object.fromEntries(headers)).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^[0-9a-f]{16}$/),
  });
});

test("a request to a service that does not run is told so", async () => {
  const answer = await requested(get("localhost"), { targetOf: () => ({ service: "orders" }) });
  expect(answer).toMatchObject({ status: 503, body: expect.stringContaining("the service orders does not run") });
});

describe("a service of another host", () => {
  async function statusAt(host: string, port: number): Promise<number> {
    let attempts = 0;
    const pool = {
      ready: Promise.resolve(),
      // Fails after a few attempts, so the test does not wait.
      get hasFailed() {
        return ++attempts > 3;
      },
      host,
      use: <T>(work: (port: number) => Promise<T>) => work(port),
    };
    const options = { targetOf: () => ({ service: "orders" }), forwarder: forwarderTo(() => pool) };
    return (await requested(get("localhost"), options)).status;
  }

  test("gets requests at its host's name", async () => {
    const service = createServer((socket) => socket.once("data", () => socket.end("HTTP/1.1 204 No Content\r\n\r\n")));
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    expect(await statusAt("localhost", (service.address() as AddressInfo).port)).toBe(204);
    service.close();
  });

  test("is not running while its name has no address", async () => {
    expect(await statusAt("nowhere.invalid", 80)).toBe(503);
  });
});

describe("a machine that does not accept connections", () => {
  /** Listens without accepting. Connections that do not fit in the kernel's queue are never established. */
  async function stuckServer(): Promise<number> {
    const script = `
      const server = require("node:net").createServer();
      server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => console.log(server.address().port));`;
    const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const port = Number(line.toString());
    child.kill("SIGSTOP");
    const fillers = Array.from({ length: 4 }, () => connect(port, "127.0.0.1").on("error", () => {}));
    onTestFinished(() => {
      for (const filler of fillers) filler.destroy();
      child.kill("SIGKILL");
    });
    return port;
  }

  const requests = {
    GET: get("localhost"),
    POST: "POST /orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
  };

  test("a request gets a 503 instead of waiting for minutes", async () => {
    const port = await stuckServer();
    const pool = {
      ready: Promise.resolve(),
      hasFailed: false,
      use: <T>(work: (port: number) => Promise<T>) => work(port),
    };
    const start = performance.now();
    const answer = await requested(requests.POST, {
      targetOf: () => ({ service: "orders" }),
      forwarder: forwarderTo(() => pool),
    });
    expect(answer.status).toBe(503);
    expect(performance.now() - start).toBeLessThan(30_000);
  });

  test.each(Object.entries(requests))("a %s goes to another machine, once", async (_, request) => {
    const stuck = await stuckServer();
    let count = 0;
    const service = createServer((socket) =>
      socket.once("data", () => {
        count += 1;
        socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      }),
    );
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void service.close());
    const ports = [stuck, (service.address() as AddressInfo).port];
    const pool = {
      ready: Promise.resolve(),
      hasFailed: false,
      use: <T>(work: (port: number) => Promise<T>) => work(ports.shift() ?? 0),
    };
    const answer = await requested(request, {
      targetOf: () => ({ service: "orders" }),
      forwarder: forwarderTo(() => pool),
    });
    expect([answer.status, count]).toEqual([200, 1]);
  });
});

describe("a service that cuts connections", () => {
  /**
   * Sends a request to a service that cuts the first connections, and counts the requests that the service has read.
   */
  async function askTwice(
    request: string,
    cuts: number,
  ): Promise<{ readonly status: number; readonly requests: number }> {
    let requests = 0;
    const service = createServer((socket) =>
      socket
        .on("error", () => {})
        .once("data", () => {
          if (requests++ < cuts) socket.resetAndDestroy();
          else socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }),
    );
    const port = await new Promise<number>((resolve) =>
      service.listen(0, "127.0.0.1", () => resolve((service.address() as AddressInfo).port)),
    );
    const pool = {
      ready: Promise.resolve(),
      hasFailed: false,
      use: <T>(work: (port: number) => Promise<T>) => work(port),
    };
    try {
      const { status } = await requested(request, {
        targetOf: () => ({ service: "orders" }),
        forwarder: forwarderTo(() => pool),
      });
      return { status, requests };
    } finally {
      service.close();
    }
  }

  test("is asked again if it may have read a request that changes nothing", async () => {
    expect(await askTwice(get("a"), 1)).toEqual({ status: 200, requests: 2 });
  });

  test("is asked again if the request announces an empty body", async () => {
    expect(await askTwice(get("a").replace("\r\n\r\n", "\r\nContent-Length: 0\r\n\r\n"), 1)).toEqual({
      status: 200,
      requests: 2,
    });
  });

  test("is asked no third time", async () => {
    expect(await askTwice(get("a"), 9)).toEqual({ status: 502, requests: 2 });
  });

  test("is asked once if the request may change something", async () => {
    const post = get("a").replace("GET", "POST");
    expect(await askTwice(post, 1)).toEqual({ status: 502, requests: 1 });
  });
});

/** Opens the front for a service that writes `answer` to each connection. */
async function openBefore(answer: string): Promise<{ readonly port: number; readonly close: () => Promise<void> }> {
  const service = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.write(answer)));
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  const pool = {
    ready: Promise.resolve(),
    hasFailed: false,
    use: <T>(work: (port: number) => Promise<T>) => work(port),
  };
  const front = await openFront({
    ...silent,
    targetOf: () => ({ service: "orders" }),
    forwarder: forwarderTo(() => pool),
  });
  const close = async (): Promise<void> => {
    await front.close();
    service.close();
  };
  return { port: front.port, close };
}

test("the head of a response is sent before its body begins", async () => {
  const front = await openBefore("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
  const client = connect(front.port, "127.0.0.1");
  client.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const received = await new Promise((resolve) => client.once("data", (bytes) => resolve(bytes.toString("latin1"))));
  expect(received).toMatch(/^HTTP\/1\.1 200 OK/);
  client.destroy();
  await front.close();
});

test.for([
  ["an upgrade", "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"],
  ["an upgrade without a protocol", "HTTP/1.1 101 Switching Protocols\r\n\r\n"],
  ["a status below 100", "HTTP/1.1 099 Unknown\r\nContent-Length: 0\r\n\r\n"],
])("a service that answers an ordinary request with %s is reported as a bad gateway", async ([, answer = ""]) => {
  const front = await openBefore(answer);
  expect(parseAnswer(await exchange(front.port, get("localhost")))).toMatchObject({ status: 502 });
  await front.close();
});

const silent = {
  listens: { port: 0, host: "127.0.0.1" },
  log: () => {},
  targetOf: () => ({ admin: () => new Promise<never>(() => {}) }),
  forwarder: forwarderTo(() => undefined),
};

test("the one port before all services cuts slow clients", async () => {
  const front = await openFront({ ...silent, times: { headersMs: 50, slowCheckMs: 10 } });
  expect(await exchange(front.port, "GET / HTTP/1.1\r\nHost: a")).toMatch(/^HTTP\/1\.1 408 /);
  await front.close();
});

test("the one port before all services closes while it drains", async () => {
  const front = await openFront({ ...silent, times: { drainMs: 50 } });
  const waiting = exchange(front.port, get("a"));
  // Once a later connection gets a response, the first one is established.
  await exchange(front.port, "GET / HTTP/1.1\r\n\r\n");
  await front.close();
  expect(await waiting).toBe("");
});
