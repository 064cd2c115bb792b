import { once } from "node:events";
import { connect, type Socket as TCP } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { filesOf } from "../packages/fw/src/analysis/testing/app.ts";
import { oneMachineTopologies, startFiles, type Running } from "./support/topologies.ts";

// Chat rooms in a service that other origins may use, and a service whose sockets are only for its own pages.
const house = String.raw`
-- rooms/rooms.ts --
import { API, Auth, type Connection, Errorf, type Int64, type MaxLength, type Path, Policy, Deny, type Query, Service, Socket } from "fw";
export const auth = Auth({ password: true, tokens: true });
export const web = Service({ origins: ["https://app.example.com"], credentials: true });
export const NotBob = Policy((_ctx, user) => (user.name.startsWith("Bob") ? Deny("no room for bob") : undefined));

export interface Said { text: string & MaxLength<2000>; n?: Int64 }
export interface Heard { from: string; text: string; n?: Int64 }
const rooms = new Map<string, Set<Connection<Said, Heard>>>();

export interface Room { id: Path; as?: Query }
export const room = Socket("GET /rooms/{id}", async (ctx, { id, as = "nobody" }: Room, socket: Connection<Said, Heard>) => {
  const members = rooms.get(id) ?? new Set();
  rooms.set(id, members.add(socket));
  ctx.signal.addEventListener("abort", () => members.delete(socket), { once: true });
  for await (const { text, n } of socket) {
    if (text === "leave") return;
    if (text === "refuse") throw Errorf(403, "not that");
    if (text === "fail") throw new Error("the secret is 42");
    if (text === "own") return socket.close(4001, "as you like");
    for (const member of members) await member.send({ from: ctx.maybeUser()?.name ?? as, text, ...(n !== undefined && { n }) });
  }
});
export const letters = API("POST /letters", (_ctx, { text }: { text: string }) => text.length);
export const present = API("GET /present/{id}", (_ctx, { id }) => rooms.get(id)?.size ?? 0);
export const mine = Socket("GET /mine", async (ctx, _req, socket: Connection<never, string>) => void (await socket.send(ctx.user().email)), { signIn: true });
export const some = Socket("GET /some", async (_ctx, _req, socket: Connection<never, string>) => void (await socket.send("in")), { allow: NotBob });
export const flood = Socket("GET /flood", async (_ctx, _req, socket: Connection<string, string>) => {
  while (await socket.send("x".repeat(10_000)));
});
export const sluggish = Socket("GET /sluggish", async (ctx, _req, socket: Connection<string, number>) => {
  await new Promise((resolve) => ctx.signal.addEventListener("abort", resolve));
});
export const large = Socket("GET /large", async (_ctx, _req, socket: Connection<string, number>) => {
  for await (const text of socket) await socket.send(text.length);
}, { maxBody: "1MB" });

-- desk/desk.ts --
import { type Connection, Socket } from "fw";
export const echo = Socket("GET /echo", async (_ctx, _req, socket: Connection<string, string>) => {
  for await (const text of socket) await socket.send(text);
});
`;

interface Closing {
  readonly code: number;
  readonly reason: string;
}

describe.each(oneMachineTopologies)("sockets %s", (...topology) => {
  let app: Running;
  let at: string;
  beforeAll(async () => {
    app = await startFiles(topology, Object.fromEntries(filesOf(house)));
    at = `localhost:${app.port}`;
  });
  afterAll(() => app?.[Symbol.asyncDispose]());

  const open: WebSocket[] = [];
  const dial = (path: string, headers: Record<string, string> = {}): WebSocket => {
    const socket = new WebSocket(`ws://${at}${path}`, { headers });
    socket.on("error", () => {});
    open.push(socket);
    return socket;
  };
  afterAll(() => open.forEach((socket) => socket.terminate()));
  const join = async (path: string, headers?: Record<string, string>): Promise<WebSocket> => {
    const socket = dial(path, headers);
    await once(socket, "open");
    return socket;
  };
  /** Returns a function that resolves with a socket's next message. Messages are buffered until they are read. */
  const reader = (socket: WebSocket): (() => Promise<unknown>) => {
    const came: unknown[] = [];
    let wake = (): void => {};
    socket.on("message", (data: Buffer) => {
      came.push(JSON.parse(data.toString()));
      wake();
    });
    return async () => {
      while (came.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return came.shift();
    };
  };
  const closingOf = async (socket: WebSocket): Promise<Closing> => {
    const [code, reason] = (await once(socket, "close")) as [number, Buffer];
    return { code, reason: reason.toString() };
  };
  const refusalOf = async (
    path: string,
    headers?: Record<string, string>,
  ): Promise<readonly [number | undefined, string]> => {
    const [, answer] = await once(dial(path, headers), "unexpected-response");
    let body = "";
    for await (const chunk of answer) body += chunk;
    return [answer.statusCode, body];
  };
  const signIn = async (name: string): Promise<Record<string, string>> => {
    const init = { method: "POST", body: new URLSearchParams({ dev_user: name }), redirect: "manual" } as const;
    const cookies = (await fetch(`http://${at}/_fw/api/session`, init)).headers.getSetCookie();
    const [cookie = ""] = cookies.find((each) => each.includes("fw_session="))?.split(";") ?? [];
    return { Cookie: cookie };
  };
  const error = (message: string): string => JSON.stringify({ error: message });

  test("messages are typed in both directions, and everyone in a room gets them", async () => {
    const [ann, ben] = await Promise.all([join("/rooms/a?as=ann"), join("/rooms/a?as=ben")]);
    await expect.poll(async () => (await fetch(`http://${at}/present/a`)).json()).toBe(2);
    const heard = reader(ben);
    ann.send(JSON.stringify({ text: "hello" }));
    expect(await heard()).toEqual({ from: "ann", text: "hello" });
    const last = once(ben, "message");
    ann.send('{"text":"big","n":9007199254740993}');
    expect(String((await last)[0])).toBe('{"from":"ann","text":"big","n":9007199254740993}');
    ann.terminate();
    await expect.poll(async () => (await fetch(`http://${at}/present/a`)).json()).toBe(1);
  });

  test("a message of another type ends the connection with a plain reason", async () => {
    for (const [sentFrame, code, reason] of [
      [JSON.stringify({ text: 7 }), 1007, "message text: 7 is not a string"],
      [JSON.stringify({ text: "x".repeat(2001) }), 1007, "message text: must be at most 2000 characters"],
      ["{", 1007, "message: invalid JSON"],
      [Buffer.from([1, 2]), 1003, "messages must be JSON text"],
      ["x".repeat(70_000), 1009, ""],
    ] as const) {
      const socket = await join("/rooms/b");
      socket.send(sentFrame);
      expect(await closingOf(socket)).toEqual({ code, reason });
    }
  });

  test("how the handler ends is how the connection ends", async () => {
    for (const [text, code, reason] of [
      ["leave", 1000, ""],
      ["own", 4001, "as you like"],
      ["refuse", 4403, "not that"],
      ["fail", 1011, "internal error"],
    ] as const) {
      const socket = await join("/rooms/c");
      socket.send(JSON.stringify({ text }));
      expect(await closingOf(socket)).toEqual({ code, reason });
    }
    await app.says("the secret is 42");
  });

  test("gates are checked before the connection opens", async () => {
    expect(await refusalOf("/mine")).toEqual([401, error("sign in to continue")]);
    const [alice, bob] = [await signIn("alice"), await signIn("bob")];
    const mine = dial("/mine", alice);
    expect(await reader(mine)()).toBe("alice@example.com");
    expect(await refusalOf("/some", bob)).toEqual([403, error("no room for bob")]);
    expect(await reader(dial("/some", alice))()).toBe("in");
    const plain = await fetch(`http://${at}/mine`, { headers: alice });
    expect([plain.status, plain.headers.get("upgrade"), plain.headers.get("connection")]).toEqual([
      426,
      "websocket",
      "close, Upgrade",
    ]);
  });

  test("pages of other origins get no connection, but those that the Service names", async () => {
    const alice = await signIn("alice");
    for (const origin of [
      "https://evil.test",
      "null",
      `https://${at}`,
      `http://${at}.evil.test`,
      "https://app.example.com.evil.test",
    ])
      expect(await refusalOf("/mine", { ...alice, Origin: origin })).toEqual([
        403,
        error("this request is not allowed from another site"),
      ]);
    for (const origin of [`http://${at}`, "https://app.example.com"])
      expect(await reader(dial("/mine", { ...alice, Origin: origin }))()).toBe("alice@example.com");
    expect(await refusalOf("/echo", { Origin: "https://app.example.com" })).toMatchObject([403, {}]);
    (await join("/echo", { Origin: `http://${at}` })).terminate();
  });

  test("what is compressed, unmasked, or no frame is refused", async () => {
    const socket = new WebSocket(`ws://${at}/echo`, { perMessageDeflate: true });
    open.push(socket);
    await once(socket, "open");
    expect(socket.extensions).toBe("");
    const frames: readonly (readonly [string, Buffer, number])[] = [
      ["compressed", Buffer.from([0xc1, 0x80, 0, 0, 0, 0]), 1002],
      ["unmasked", Buffer.from([0x81, 0x03, 0x22, 0x61, 0x22]), 1002],
      ["of no known kind", Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
      ["a ping of two parts", Buffer.from([0x09, 0x80, 0, 0, 0, 0]), 1002],
      ["longer than any", Buffer.from([0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]), 1009],
      ["not UTF-8", Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]), 1007],
    ];
    for (const [what, frame, code] of frames) expect([what, await closedBy(app.port, frame)]).toEqual([what, code]);
  });

  test("parts of a message are one message, however many there are", async () => {
    const socket = await join("/echo");
    const heard = reader(socket);
    const parts = [...JSON.stringify("x".repeat(500))];
    parts.forEach((part, i) => socket.send(part, { fin: i === parts.length - 1 }));
    expect(await heard()).toBe("x".repeat(500));
  });

  test("who floods, and who reads nothing of what is sent without an end, holds up nobody else", async () => {
    const fast = await join("/sluggish");
    for (let i = 0; i < 2_000; i++) fast.send(JSON.stringify("x".repeat(5_000)));
    const slow = await join("/flood");
    slow.pause();
    const other = await join("/echo");
    const heard = reader(other);
    other.send('"still here"');
    expect(await heard()).toBe("still here");
    for (const socket of [fast, slow]) socket.terminate();
  });

  test("a socket may take larger messages where it says so", async () => {
    const socket = await join("/large");
    const heard = reader(socket);
    socket.send(JSON.stringify("x".repeat(500_000)));
    expect(await heard()).toBe(500_000);
  });

  test("one address has so many connections, and no more", async () => {
    const sockets = await Promise.all(Array.from({ length: 80 }, () => join("/echo")));
    const more = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const socket = dial("/echo");
        return Promise.race([
          once(socket, "open").then(() => 101),
          once(socket, "unexpected-response").then(([, answer]) => answer.statusCode as number),
        ]);
      }),
    );
    expect(more).toContain(429);
    expect(new Set(more)).toEqual(new Set([101, 429]));
    sockets.forEach((socket) => socket.terminate());
  });

  test("a request that asks for another protocol is answered as any other, with its body", async () => {
    const socket = connect(app.port, "localhost");
    socket.write(
      `POST /letters HTTP/1.1\r\nHost: ${at}\r\nConnection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nContent-Type: application/json\r\nContent-Length: 16\r\n\r\n{"text":`,
    );
    socket.write('"alice"}');
    expect(await allOf(socket)).toMatch(/^HTTP\/1\.1 200 [^]*\r\n\r\n5$/);
  });
});

/** Returns the close code after sending these bytes as the first frame; 0 if the connection ends without one. */
async function closedBy(port: number, frame: Buffer): Promise<number> {
  const socket = connect(port, "localhost");
  socket.write(
    `GET /echo HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
  );
  socket.write(frame);
  const text = await allOf(socket);
  expect(text).toMatch(/^HTTP\/1\.1 101 /);
  const [first = 0, , high = 0, low = 0] = Buffer.from(text.slice(text.indexOf("\r\n\r\n") + 4), "latin1");
  return first === 0x88 ? high * 256 + low : 0;
}

async function allOf(socket: TCP): Promise<string> {
  let text = "";
  socket.on("error", () => {});
  socket.on("data", (chunk: Buffer) => (text += chunk.toString("latin1")));
  await once(socket, "close");
  return text;
}
