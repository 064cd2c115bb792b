import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import type { EndpointDeclaration } from "../../declare/endpoint.ts";
import { type Connection, Socket } from "../../declare/socket.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { apis, bundleOf, start } from "../testing/app.ts";

/** Creates a socket whose handler runs until its signal aborts, and then calls `onEnd`. */
function waiting(onEnd: () => void): BundledEndpoint[] {
  const declaration = Socket("GET /wait", async (ctx, _req, socket: Connection<string, string>) => {
    await socket.send("here");
    await new Promise<void>((resolve) => ctx.signal.addEventListener("abort", () => resolve()));
    onEnd();
  });
  const socket = { decode: (value: unknown) => value, exactIntegers: false };
  return apis({ "GET /wait": {} }).map((each) => ({
    ...each,
    kind: "socket",
    socket,
    declaration: declaration as unknown as EndpointDeclaration,
  }));
}

test("a service that stops tells its sockets, and waits for none", async () => {
  let over = 0;
  // Longer than a test may take, so only the end of the socket lets the server stop.
  const app = await start(bundleOf(waiting(() => over++)), {}, { drainMs: 600_000 });
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/wait`);
  await once(socket, "message");
  const closed = once(socket, "close");
  await app.close();
  const [code, reason] = (await closed) as [number, Buffer];
  expect([code, reason.toString(), over]).toEqual([1001, "the service closed the connection; open another one", 1]);
});

test("what is told to all that is under way reaches sockets, too", async () => {
  const stopping = new AbortController();
  await using app = await start(bundleOf(waiting(() => {})), { stopping: stopping.signal });
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/wait`);
  await once(socket, "message");
  const closed = once(socket, "close");
  stopping.abort();
  expect((await closed)[0]).toBe(1001);
});
