import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { build, startService } from "./support/build.ts";
import { launchDev, writeApplication, type Dev } from "./support/dev-app.ts";
import { startServe } from "./support/served.ts";

const rooms = (word: string): Record<string, string> => ({
  "rooms/rooms.ts": `import { type Connection, Socket } from "fw";
export const stay = Socket("GET /stay", async (_ctx, _req, socket: Connection<never, string>) => {
  await socket.send("${word}");
  await new Promise(() => {});
});
`,
});

/** The environment of processes without time limits, so that no wait ends because of one. */
const env = { NODE_OPTIONS: `--import=${new URL("support/no-ceilings.mjs", import.meta.url).href}` };

interface Stoppable extends AsyncDisposable {
  readonly port: number;
  /** Sends SIGTERM and resolves with the exit code. */
  stop(): Promise<unknown>;
}

const dev =
  (...args: string[]) =>
  async (root: string): Promise<Stoppable> =>
    stoppable(await developed(root, args));

async function developed(root: string, args: readonly string[]): Promise<Dev> {
  const started = launchDev(root, args, env);
  await started.says("http://localhost:");
  return started;
}

function stoppable(started: Dev): Stoppable {
  const stop = (): Promise<unknown> => {
    started.process.kill("SIGTERM");
    return started.exited;
  };
  return { port: started.port, stop, [Symbol.asyncDispose]: () => started[Symbol.asyncDispose]() };
}

async function startStoppable(root: string): Promise<Stoppable> {
  await build(root);
  const readable = fileURLToPath(new URL("support/", import.meta.url));
  const args = ["--data", join(root, "data"), "--allow", `read=${readable}`];
  const server = await startServe(args, { cwd: root, env });
  return {
    port: Number(new URL(server.url).port),
    stop: () => server.end(),
    [Symbol.asyncDispose]: removing(root, server),
  };
}

async function alone(root: string): Promise<Stoppable> {
  await build(root);
  const service = await startService(root, "rooms", { env });
  return {
    port: Number(new URL(service.url).port),
    stop: () => service.stop(),
    [Symbol.asyncDispose]: removing(root, service),
  };
}

function removing(root: string, running: AsyncDisposable): () => Promise<void> {
  return async () => {
    await running[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  };
}

test.each([
  ["in one process", dev()],
  ["as services", dev("--services")],
  ["rehearsed for the cloud", dev("--cloud")],
  ["built and served", startStoppable],
  ["built, as a service alone", alone],
] as const)("%s, sockets get a close code when the application stops, and it waits for none", async (_where, start) => {
  await using app = await start(writeApplication(rooms("here")));
  const socket = new WebSocket(`ws://localhost:${app.port}/stay`);
  await once(socket, "message");
  const silent = await silentVisitor(app.port);
  const closed = once(socket, "close") as Promise<[number, Buffer]>;
  expect(await app.stop()).toBe(0);
  const [code, reason] = await closed;
  expect([code, reason.toString()]).toEqual([1001, "the service closed the connection; open another one"]);
  silent.destroy();
});

test("after a save the new process gets the next sockets, and the old ones are closed", async () => {
  await using app = await developed(writeApplication(rooms("first")), ["--services"]);
  const open = async (): Promise<readonly [WebSocket, string]> => {
    const socket = new WebSocket(`ws://localhost:${app.port}/stay`);
    const [greeting] = (await once(socket, "message")) as [Buffer];
    return [socket, greeting.toString()];
  };
  const [before, greeting] = await open();
  expect(greeting).toBe('"first"');
  const closed = once(before, "close") as Promise<[number]>;
  app.write(rooms("second"));
  expect((await closed)[0]).toBe(1001);
  const [after, next] = await open();
  expect(next).toBe('"second"');
  after.terminate();
});

/** Connects a client that reads all messages of a connection but sends none. */
async function silentVisitor(port: number): Promise<ReturnType<typeof connect>> {
  const socket = connect(port, "localhost").on("error", () => {});
  socket.write(
    `GET /stay HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  await expect.poll(() => text).toContain('"here"');
  return socket;
}
