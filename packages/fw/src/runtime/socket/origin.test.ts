import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import type { EndpointDeclaration } from "../../declare/endpoint.ts";
import { type Connection, Socket } from "../../declare/socket.ts";
import type { BundledEndpoint, BundledOrigins } from "../bundle.ts";
import { apis, bundleOf, start, type TestApp } from "../testing/app.ts";
import { TestSessions } from "../testing/sessions.ts";

const declaration = Socket("GET /hello", async (_ctx, _req, socket: Connection<string, string>) => {
  await socket.send("hello");
});

const sockets: readonly BundledEndpoint[] = apis({ "GET /hello": {} }).map((each) => ({
  ...each,
  kind: "socket",
  socket: { decode: (value: unknown) => value, exactIntegers: false },
  declaration: declaration as unknown as EndpointDeclaration,
}));

async function startWith(origins: BundledOrigins, sessions: TestSessions): Promise<TestApp> {
  const bundle = bundleOf(sockets);
  return start({ ...bundle, packages: bundle.packages.map((each) => ({ ...each, origins })) }, { sessions });
}

/** Returns the status of a handshake from a page of another origin. */
async function statusFor(app: TestApp, headers: Record<string, string>): Promise<number | undefined> {
  const socket = new WebSocket(`ws://127.0.0.1:${app.port}/hello`, {
    headers: { Origin: "https://page.example", ...headers },
  });
  socket.on("error", () => {});
  const opened = once(socket, "open").then(() => 101);
  const refused = once(socket, "unexpected-response").then(([, answer]) => answer.statusCode as number);
  const status = await Promise.race([opened, refused]);
  socket.terminate();
  return status;
}

test.each([
  ["named without credentials", { allowed: ["https://page.example"], credentials: false }, 403],
  ["one of all, which never have credentials", { allowed: "*", credentials: true }, 403],
  ["named with credentials", { allowed: ["https://page.example"], credentials: true }, 101],
] as const)(
  "the page of an origin that is %s opens a socket with a cookie: %o is %i",
  async (_what, origins, status) => {
    const sessions = new TestSessions();
    await using app = await startWith(origins, sessions);
    expect(await statusFor(app, { Cookie: sessions.signIn() })).toBe(status);
    expect(await statusFor(app, {})).toBe(101);
  },
);
