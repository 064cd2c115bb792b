import { once } from "node:events";
import { rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { fw } from "../packages/fw/src/cli/testing/run.ts";
import { freePort } from "../packages/fw/src/lib/testing/free-port.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";

const files = Object.fromEntries(
  filesOf(`
-- talks/talks.ts --
import { Socket, type Connection } from "fw";
export const echo = Socket("GET /echo", async (_ctx, _req, socket: Connection<string, string>) => {
  for await (const text of socket) await socket.send(text);
});
`),
);

interface Talk extends AsyncIterable<string> {
  send(message: string): Promise<boolean>;
  close(code?: number, reason?: string): void;
  readonly closed: Promise<{ code: number; reason: string }>;
}

interface Reconnect {
  readonly attempts?: number;
  readonly wait?: number;
  readonly mostWait?: number;
  readonly when?: (end: { readonly code: number; readonly wasOpen: boolean }) => boolean;
  readonly onReconnect?: () => void;
}

interface Options {
  readonly reconnect?: boolean | Reconnect;
  readonly signal?: AbortSignal;
  readonly buffer?: number;
}

interface Client {
  echo(options?: Options): Talk;
}

let root: string;
let createClient: (options: object) => Client;

beforeAll(async () => {
  root = writeApplication(files);
  expect((await fw(root, "gen", "client", "ts")).code).toBe(0);
  ({ createClient } = (await import(join(root, ".fw/gen/client/ts/api.ts"))) as { createClient: typeof createClient });
});

afterAll(() => rmSync(root, { recursive: true }));

/** Starts the application in its own process on a port. */
async function start(port: number): Promise<Dev> {
  const dev = launchDev(root, ["--port", String(port)]);
  await dev.says("http://localhost:");
  return dev;
}

const clientOf = (port: number): Client =>
  createClient({ baseUrl: `http://localhost:${port}`, webSocket: (url: string) => new WebSocket(url) });

/** Collects a connection's messages, and how the loop over them ends. */
function collect(talk: Talk): { readonly heard: string[]; readonly end: Promise<unknown> } {
  const heard: string[] = [];
  const read = async (): Promise<unknown> => {
    for await (const text of talk) heard.push(text);
    return "quiet";
  };
  return { heard, end: read().catch((error: unknown) => error) };
}

/** A WebSocket server inside the test process. */
class Peer implements AsyncDisposable {
  #server: WebSocketServer | undefined;
  port = 0;
  /** The number of connections accepted so far. */
  connections = 0;

  async listen(): Promise<this> {
    this.#server = new WebSocketServer({ port: this.port, host: "127.0.0.1" });
    this.#server.on("connection", (socket) => {
      this.connections++;
      socket.on("message", (text) => socket.send(text as Buffer, { binary: false }));
    });
    await once(this.#server, "listening");
    this.port = (this.#server.address() as AddressInfo).port;
    return this;
  }

  /** Drops every connection and stops listening, as a killed process does. */
  async die(): Promise<void> {
    for (const socket of this.#server?.clients ?? []) socket.terminate();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  close(code: number): void {
    for (const socket of this.#server?.clients ?? []) socket.close(code, "as asked");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.die();
  }
}

describe("a client of a socket with { reconnect }", () => {
  test("opens another connection to a server that was killed and started again, and its loop continues", async () => {
    const port = await freePort();
    let dev = await start(port);
    try {
      const events: string[] = [];
      const talk = clientOf(port).echo({
        reconnect: { wait: 5, mostWait: 50, attempts: Infinity, onReconnect: () => events.push("again") },
      });
      const { heard, end } = collect(talk);
      expect(await talk.send("one")).toBe(true);
      await expect.poll(() => heard).toEqual(["one"]);
      dev.process.kill("SIGKILL");
      await dev.exited;
      await expect(talk.send("two")).rejects.toMatchObject({ name: "ApiSocketError", code: 1006 });
      dev = await start(port);
      await expect.poll(() => events).toEqual(["again"]);
      expect(await talk.send("three")).toBe(true);
      await expect.poll(() => heard).toEqual(["one", "three"]);
      talk.close();
      expect([await end, await talk.closed]).toEqual(["quiet", { code: 1000, reason: "" }]);
    } finally {
      dev.process.kill("SIGTERM");
      await dev.exited;
    }
  });

  test("gives up after its attempts, with how the last one ended", async () => {
    await using peer = await new Peer().listen();
    const talk = clientOf(peer.port).echo({ reconnect: { wait: 1, mostWait: 2, attempts: 3 } });
    const { end } = collect(talk);
    await talk.send("x");
    await peer.die();
    expect(await end).toMatchObject({ name: "ApiSocketError", code: 1006 });
    expect(await talk.closed).toEqual({ code: 1006, reason: "" });
    expect(await talk.send("x")).toBe(false);
  });

  test("does not ask again where no connection was ever open, unless its policy says so", async () => {
    const peer = await new Peer().listen();
    await peer.die();
    expect(await collect(clientOf(peer.port).echo({ reconnect: true })).end).toMatchObject({ code: 1006 });
    const ends: unknown[] = [];
    const when = (end: { code: number; wasOpen: boolean }): boolean => ends.push([end.code, end.wasOpen]) > 0;
    const talk = clientOf(peer.port).echo({ reconnect: { wait: 1, attempts: 1_000, when } });
    const { heard } = collect(talk);
    await expect.poll(() => ends.length).toBeGreaterThan(1);
    await using _again = await peer.listen();
    expect(await talk.send("x")).toBe(true);
    await expect.poll(() => heard).toEqual(["x"]);
    expect(ends[0]).toEqual([1006, false]);
    talk.close();
  });

  test.each([
    [1001, true],
    [1012, true],
    [1013, true],
    [4503, true],
    [1000, false],
    [1007, false],
    [1011, false],
    [4403, false],
  ])("after %i asks again: %s", async (code, isAgain) => {
    await using peer = await new Peer().listen();
    const talk = clientOf(peer.port).echo({ reconnect: { wait: 1 } });
    const { heard } = collect(talk);
    await talk.send("x");
    await expect.poll(() => heard).toEqual(["x"]);
    peer.close(code);
    if (isAgain) {
      await expect.poll(() => peer.connections).toBe(2);
      talk.close();
    }
    expect((await talk.closed).code).toBe(isAgain ? 1000 : code);
    expect(peer.connections).toBe(isAgain ? 2 : 1);
  });

  test("stays closed after close, the signal, and more messages than are read, also in the wait", async () => {
    await using peer = await new Peer().listen();
    const stop = new AbortController();
    const reconnect = { wait: 1_000_000, mostWait: 1_000_000 };
    const stopped = clientOf(peer.port).echo({ reconnect, signal: stop.signal });
    const closing = clientOf(peer.port).echo({ reconnect });
    const { end } = collect(stopped);
    await stopped.send("x");
    await closing.send("x");
    peer.close(1001);
    for (const talk of [stopped, closing])
      await expect.poll(() => talk.send("y").catch((error: unknown) => String(error))).toMatch("was not sent");
    stop.abort(new Error("enough"));
    expect(await end).toMatchObject({ message: "enough" });
    closing.close();
    expect(await closing.closed).toEqual({ code: 1000, reason: "" });
    const unread = clientOf(peer.port).echo({ reconnect: true, buffer: 3 });
    for (let i = 0; i < 5; i++) await unread.send("x").catch(() => false);
    expect((await unread.closed).code).toBe(4000);
    expect(peer.connections).toBe(3);
  });

  test("waits longer after each failure, up to a bound, with chance taken off", async () => {
    const waits: number[] = [];
    const set = globalThis.setTimeout;
    globalThis.setTimeout = ((run: () => void, ms: number) => (waits.push(ms), set(run, 0))) as unknown as typeof set;
    try {
      const webSocket = (): WebSocket => {
        throw new Error("no network");
      };
      const talk = createClient({ baseUrl: "http://localhost:1", webSocket }).echo({ reconnect: { when: () => true } });
      expect(await collect(talk).end).toMatchObject({ message: "no network" });
    } finally {
      globalThis.setTimeout = set;
    }
    const bounds = [500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000];
    expect(waits).toHaveLength(bounds.length);
    for (const [i, most] of bounds.entries()) {
      expect(waits[i]).toBeLessThanOrEqual(most);
      expect(waits[i]).toBeGreaterThanOrEqual(most / 2);
    }
  });
});

test("a client without { reconnect } opens one connection", async () => {
  await using peer = await new Peer().listen();
  const talk = clientOf(peer.port).echo();
  const { end } = collect(talk);
  await talk.send("x");
  peer.close(1001);
  expect(await end).toMatchObject({ code: 1001 });
  expect(peer.connections).toBe(1);
});
