import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { connect, type Socket as TCP } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { build } from "./support/build.ts";
import { writeApplication } from "./support/dev-app.ts";
import { startServe } from "./support/served.ts";
import { asServices, onCloud, startOnCloud, startServices, topologies } from "./support/topologies.ts";

/** The example of docs/socket.md, verbatim. */
const documented = /^```ts\n\/\/ rooms\/rooms\.ts\n([\s\S]*?)^```/m.exec(
  readFileSync(new URL("../docs/socket.md", import.meta.url), "utf8"),
)?.[1];

/** Accounts for the example, in a separate service. */
const people = `
import { API, Role } from "fw";
import { auth } from "../rooms/rooms.ts";
export const Speaker = Role("speaker");
export const add = API("POST /people", async (ctx, { email }: { email: string }) =>
  (await auth.users.create(ctx, { email, name: email, password: "a good password" })).id);
export const disable = API("POST /people/{id}/disable", (ctx, { id }: { id: Path }) => auth.users.disable(ctx, id));
export const grant = API("POST /people/{id}/grant", (ctx, { id }: { id: Path }) => auth.users.grant(ctx, id, Speaker));
export const revoke = API("POST /people/{id}/revoke", (ctx, { id }: { id: Path }) => auth.users.revoke(ctx, id, Speaker));
`.replace("API, Role", "API, type Path, Role");

const stage = `
import { API, type Connection, RequireRole, Socket } from "fw";
import { Speaker } from "../people/people.ts";
export const isSpeaker = RequireRole(Speaker);
export const stage = Socket("GET /stage", async (ctx, _req, socket: Connection<string, string>) => {
  for await (const text of socket) await socket.send(text);
}, { allow: isSpeaker });
export const open = Socket("GET /open", async (ctx, _req, socket: Connection<string, string>) => {
  for await (const text of socket) await socket.send(text);
});
`;

const files = { "rooms/rooms.ts": documented ?? "", "people/people.ts": people, "stage/stage.ts": stage };

interface Live extends AsyncDisposable {
  readonly at: string;
}

async function startServed(root: string): Promise<Live> {
  await build(root);
  const server = await startServe(["--data", join(root, "data")], { cwd: root });
  return {
    at: new URL(server.url).host,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

type Start = (root: string) => Promise<Live>;

const [, startOne] = topologies[0] as (typeof topologies)[number];
const dev =
  (start: typeof startOne): Start =>
  async (root) => {
    const running = await start(root);
    return { at: `localhost:${running.port}`, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
  };

const shapes: readonly (readonly [string, Start])[] = [
  ["in one process", dev(startOne)],
  ...(asServices ? [["as services", dev(startServices)] as const] : []),
  ["built and served", startServed],
  ...(onCloud ? [["on the cloud", dev(startOnCloud)] as const] : []),
];

describe.each(shapes)("%s, a socket", (_shape, start) => {
  let app: Live;
  beforeAll(async () => {
    app = await start(writeApplication(files));
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  const post = (path: string, body: object = {}): Promise<Response> =>
    fetch(`http://${app.at}${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  /** Creates an account and signs it in. */
  const join = async (name: string): Promise<{ readonly id: string; readonly Cookie: string }> => {
    const email = `${name}@example.com`;
    const id = (await (await post("/people", { email })).json()) as string;
    const body = new URLSearchParams({ email, password: "a good password" });
    const answer = await fetch(`http://${app.at}/_fw/api/session`, { method: "POST", body, redirect: "manual" });
    const cookie = answer.headers.getSetCookie().find((each) => each.includes("fw_session="));
    return { id, Cookie: cookie?.split(";")[0] ?? "" };
  };
  const dial = async (path: string, headers: Record<string, string> = {}): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://${app.at}${path}`, { headers });
    await once(socket, "open");
    return socket;
  };

  test("of a member that reads nothing, and sends pongs, delays no other member", async () => {
    const [ann, mallory] = [await join("ann"), await join("mallory")];
    const deaf = await deafMember(app.at, "/rooms/a", mallory.Cookie);
    const talking = await dial("/rooms/a", { Cookie: ann.Cookie });
    const text = JSON.stringify({ text: "x".repeat(2_000) });
    let longestGap = 0;
    // Sends more than the kernel's buffers on every hop and the socket's own buffer can hold.
    for (let sent = 0, last = Date.now(); sent < 12_000 && !deaf.destroyed; sent++) {
      talking.send(text);
      await once(talking, "message");
      longestGap = Math.max(longestGap, Date.now() - last);
      last = Date.now();
    }
    await expect.poll(() => deaf.destroyed).toBe(true);
    expect(longestGap).toBeLessThan(20_000);
    talking.terminate();
  });

  test("ends when the account that opened it is disabled, and no other does", async () => {
    const [eve, fay] = [await join("eve"), await join("fay")];
    const sockets = [await dial("/open", { Cookie: eve.Cookie }), await dial("/rooms/b", { Cookie: eve.Cookie })];
    const other = await dial("/rooms/b", { Cookie: fay.Cookie });
    const ends = Promise.all(sockets.map(async (socket) => once(socket, "close")));
    expect((await post(`/people/${eve.id}/disable`)).status).toBe(204);
    expect((await ends).map(([code, reason]) => [code, String(reason)])).toEqual([
      [4401, "sign in to continue"],
      [4401, "sign in to continue"],
    ]);
    other.send(JSON.stringify({ text: "still here" }));
    await once(other, "message");
    other.terminate();
  });

  test("ends when its user loses the role that let it in, and stays while the role does", async () => {
    const gil = await join("gil");
    await post(`/people/${gil.id}/grant`);
    const socket = await dial("/stage", { Cookie: gil.Cookie });
    const open = await dial("/open", { Cookie: gil.Cookie });
    const closed = once(socket, "close");
    await post(`/people/${gil.id}/revoke`);
    const [code, reason] = (await closed) as [number, Buffer];
    expect([code, String(reason)]).toEqual([4403, "this page needs the speaker role"]);
    open.send('"still here"');
    await once(open, "message");
    open.terminate();
  });
});

/**
 * Connects a client that never reads from its socket, and sends a pong every second until the server closes the
 * connection.
 */
async function deafMember(at: string, path: string, cookie: string): Promise<TCP> {
  const { hostname, port } = new URL(`http://${at}`);
  const socket = connect(Number(port), hostname).on("error", () => {});
  const head = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  socket.write(
    [`GET ${path} HTTP/1.1`, `Host: ${at}`, ...head, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `Cookie: ${cookie}`]
      .join("\r\n")
      .concat("\r\n\r\n"),
  );
  const [first] = (await once(socket, "data")) as [Buffer];
  expect(first.toString("latin1")).toMatch(/^HTTP\/1\.1 101 /);
  socket.pause();
  // Writes fail once the server has closed the connection. A client that never reads has no other way to notice.
  const pongs = setInterval(() => socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0])), 1_000);
  socket.once("close", () => clearInterval(pongs));
  return socket;
}
