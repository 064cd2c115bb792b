import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import type { Context } from "../declare/context.ts";
import { createHandler } from "./handler.ts";
import { serve } from "./server.ts";
import { apis, bundleOf, start } from "./testing/app.ts";
import { deferred } from "./testing/deferred.ts";
import { exchange, request, until } from "./testing/server.ts";
import { settings } from "./settings.ts";

const get = (path: string, headers = ""): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
const handshake = [
  "Connection: Upgrade",
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n",
].join("\r\n");
/** Short times, but long enough for normal requests next to slow ones on a busy machine. */
const quick = { headersMs: 1_000, slowCheckMs: 30, stalledMs: 150 };

/** Resolves to everything the server sent before it closed the connection. */
async function closed(socket: Socket): Promise<string> {
  let text = "";
  // The server may cut the connection during a write.
  socket.on("data", (chunk) => (text += chunk.toString())).on("error", () => {});
  await new Promise((resolve) => socket.once("close", resolve));
  return text;
}

describe("connections", () => {
  test("are kept for the next request", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })));
    const socket = connect(app.port, "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString()));
    for (let n = 1; n <= 3; n++) {
      socket.write(get("/"));
      await until(() => text.split("HTTP/1.1 200").length === n + 1, `answer ${n}`);
    }
    socket.destroy();
    expect(text).toMatch(/connection: keep-alive/i);
  });

  test("answer pipelined requests in their order", async () => {
    const first = deferred<string>();
    await using app = await start(
      bundleOf(apis({ "GET /slow": () => first.promise, "GET /fast": () => (first.resolve("slow"), "fast") })),
    );
    const text = await exchange(app.port, get("/slow") + get("/fast", "Connection: close\r\n"));
    expect(text.match(/"(?:slow|fast)"/g)).toEqual(['"slow"', '"fast"']);
  });

  test("answer a request before they refuse what follows it and is none", async () => {
    const answer = deferred<string>();
    await using app = await start(
      bundleOf(apis({ "GET /slow": () => (setImmediate(() => answer.resolve("slow")), answer.promise) })),
    );
    const text = await exchange(app.port, `${get("/slow")}nonsense\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 200 .*"slow"HTTP\/1\.1 400 /s);
  });

  test("with many pipelined requests cause no warning", async () => {
    const warnings: string[] = [];
    const note = ({ message }: Error): void => void warnings.push(message);
    process.on("warning", note);
    const last = deferred<string>();
    await using app = await start(
      bundleOf(apis({ "GET /": () => last.promise, "GET /last": () => (last.resolve("all"), "all") })),
    );
    const text = await exchange(app.port, get("/").repeat(20) + get("/last", "Connection: close\r\n"));
    expect(text.match(/"all"/g)).toHaveLength(21);
    process.off("warning", note);
    expect(warnings).toEqual([]);
  });

  test("answer pipelined requests before they refuse what follows them", async () => {
    const slow = deferred<string>();
    await using app = await start(
      bundleOf(
        apis({
          "GET /slow": () => slow.promise,
          "GET /later": async () => (setImmediate(() => slow.resolve("slow")), `${await slow.promise} and later`),
        }),
      ),
    );
    const text = await exchange(app.port, `${get("/slow")}${get("/later")}nonsense\r\n\r\n`);
    expect(text).toMatch(/^HTTP\/1\.1 200 .*"slow"HTTP\/1\.1 200 .*"slow and later"HTTP\/1\.1 400 /s);
  });

  test("never get an error in place of the response to an earlier request", async () => {
    const reached = deferred<void>();
    await using app = await start(
      bundleOf(apis({ "GET /held": () => deferred<string>().promise, "GET /fast": () => (reached.resolve(), "fast") })),
    );
    const socket = connect(app.port, "127.0.0.1", () => socket.write(get("/held") + get("/fast")));
    const received = closed(socket);
    await reached.promise;
    socket.write("nonsense\r\n\r\n");
    expect(await received).toBe("");
  });

  describe.each([
    ["a WebSocket handshake", get("/fast", handshake), /^HTTP\/1\.1 200 .*"fast"$/s],
    ["another upgrade", get("/fast", "Upgrade: h2c\r\nConnection: Upgrade, close\r\n"), /^HTTP\/1\.1 200 .*"fast"$/s],
    ["a request for a tunnel", "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", /^HTTP\/1\.1 405 /],
  ])("answer earlier requests before %s", (_, last, response) => {
    const paths = ["fast", "slow", "large"];
    const orders = [
      ...paths.map((path) => [path]),
      ...paths.flatMap((first) => paths.map((second) => [first, second])),
    ];
    test.each(orders.map((order) => ({ order })))("of $order", async ({ order }) => {
      const text = { fast: "fast", slow: "slow", large: "x".repeat(3_000_000) };
      await using app = await start(
        bundleOf(
          apis({
            "GET /fast": () => text.fast,
            "GET /slow": () => new Promise((resolve) => setImmediate(() => resolve(text.slow))),
            "GET /large": () => text.large,
          }),
        ),
      );
      const answers = await exchange(app.port, order.map((path) => get(`/${path}`)).join("") + last);
      const parts = answers.split(/(?=HTTP\/1\.1 )/);
      const bodies = parts.slice(0, -1).map((part) => part.slice(part.indexOf("\r\n\r\n") + 4));
      expect(bodies).toEqual(order.map((path) => JSON.stringify(text[path as keyof typeof text])));
      expect(parts.at(-1)).toMatch(response);
    });
  });

  test("that are reset after a request for a tunnel harm no others", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })));
    for (let n = 0; n < 20; n++) {
      const socket = connect(app.port, "127.0.0.1");
      await once(socket, "connect");
      socket.write("CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n", () => socket.resetAndDestroy());
    }
    expect(await exchange(app.port, get("/", "Connection: close\r\n"))).toMatch(/^HTTP\/1\.1 200 /);
  });

  test("that are idle are closed after a while", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })), {}, { keepAliveMs: 100 });
    expect(await exchange(app.port, get("/"))).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe("limits of a request's head", () => {
  test("64 kB of headers are refused with 431", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })));
    expect(await exchange(app.port, get("/", `X: ${"a".repeat(65_536)}\r\n`))).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("64 kB of small headers are refused with 431", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })));
    expect(await exchange(app.port, get("/", "a: b\r\n".repeat(11_000)))).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("a URL of 64 kB is refused with 431", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })));
    expect(await exchange(app.port, get(`/?${"a".repeat(65_536)}`))).toMatch(/^HTTP\/1\.1 431 /);
  });

  test("no header is dropped for there being many", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })));
    const headers = `${"a:b\r\n".repeat(2500)}Host: second\r\nConnection: close\r\n`;
    expect(await exchange(app.port, get("/", headers))).toMatch(/^HTTP\/1\.1 400 /);
  });
});

describe("slow clients are cut while others are undisturbed:", () => {
  test("one that never ends its headers", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })), {}, quick);
    const socket = connect(app.port, "127.0.0.1");
    const trickle = setInterval(() => socket.write("a"), 20);
    socket.write("GET / HTTP/1.1\r\nX: ");
    const ended = closed(socket);
    expect((await request(app.port, "/")).status).toBe(200);
    expect(await ended).toMatch(/^HTTP\/1\.1 408 /);
    clearInterval(trickle);
  });

  test("one that never says anything", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })), {}, quick);
    expect(await closed(connect(app.port, "127.0.0.1"))).toMatch(/^HTTP\/1\.1 408 /);
  });

  test("one whose body trickles", async () => {
    await using app = await start(
      bundleOf(apis({ "POST /": { carries: "json" } })),
      {},
      { bodyMs: 150, slowCheckMs: 30 },
    );
    const socket = connect(app.port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n");
    const trickle = setInterval(() => socket.write(" "), 20);
    expect(await closed(socket)).toBe("");
    clearInterval(trickle);
  });

  test("one whose upload trickles", async () => {
    await using app = await start(
      bundleOf(apis({ "POST /": { carries: "multipart" } })),
      {},
      { bodyMs: 150, slowCheckMs: 30 },
    );
    const socket = connect(app.port, "127.0.0.1");
    socket.write(
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n--b\r\n",
    );
    const trickle = setInterval(() => socket.write("a"), 20);
    expect(await closed(socket)).toBe("");
    clearInterval(trickle);
  });

  test("one that does not read its answer", async () => {
    await using app = await start(
      bundleOf(apis({ "GET /": () => "x".repeat(30_000_000), "GET /small": () => 1 })),
      {},
      { slowCheckMs: 30, stalledMs: 150 },
    );
    const socket = connect(app.port, "127.0.0.1", () => socket.write(get("/"))).pause();
    socket.on("error", () => {});
    expect((await request(app.port, "/small")).status).toBe(200);
    let cut = false;
    const probe = setInterval(() => socket.write("GET / HTTP/1.1\r\n"), 20);
    socket.on("close", () => (cut = true));
    await until(() => cut, "the connection is cut");
    clearInterval(probe);
  });

  test("a handler may take longer", async () => {
    const proceed = deferred<number>();
    await using app = await start(
      bundleOf(apis({ "GET /": () => proceed.promise })),
      {},
      { ...quick, bodyMs: 50, stalledMs: 50 },
    );
    const answer = request(app.port, "/");
    setTimeout(() => proceed.resolve(7), 1_250);
    expect((await answer).body).toBe("7");
  });
});

describe("a server", () => {
  test("lets another handler answer from the next request on; those that have begun stay with theirs", async () => {
    const proceed = deferred<string>();
    const reached = deferred<void>();
    const old = apis({ "GET /": async () => (reached.resolve(), await proceed.promise) });
    await using app = await start(bundleOf(old));
    const begun = request(app.port, "/");
    await reached.promise;
    app.swap(createHandler(bundleOf(apis({ "GET /": () => "new" })), { settings: settings.test }));
    expect((await request(app.port, "/")).body).toBe('"new"');
    proceed.resolve("old");
    expect((await begun).body).toBe('"old"');
  });

  test("says so when it cannot listen", async () => {
    await using app = await start(bundleOf([]));
    const taken = serve(createHandler(bundleOf([]), { settings: settings.test }), {
      port: app.port,
      host: "127.0.0.1",
    });
    await expect(taken).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("Shutdown", () => {
  test("the listener closes and in-flight requests drain until the last one returns", async () => {
    const proceed = deferred<string>();
    let running = 0;
    await using app = await start(bundleOf(apis({ "GET /": async () => (running++, await proceed.promise) })));
    const answers = Array.from({ length: 200 }, () => exchange(app.port, get("/")));
    await until(() => running === 200, "all requests run");
    const stopped = app.close();
    await expect(exchange(app.port, get("/"))).rejects.toMatchObject({ code: "ECONNREFUSED" });
    proceed.resolve("done");
    for (const answer of await Promise.all(answers))
      expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*connection: close[^]*"done"$/i);
    await stopped;
  });

  test("with a ceiling: then ctx.signal aborts and the connection is cut", async () => {
    const reached = deferred<void>();
    const aborted = deferred<boolean>();
    const run = async (ctx: Context) => {
      const { signal } = ctx;
      reached.resolve();
      await once(signal, "abort");
      aborted.resolve(signal.aborted);
    };
    await using app = await start(bundleOf(apis({ "GET /": run })), {}, { drainMs: 100 });
    const answer = exchange(app.port, get("/"));
    await reached.promise;
    await app.close();
    expect(await aborted.promise).toBe(true);
    expect(await answer).toBe("");
  });

  test("ctx.signal does not abort while the request may still drain", async () => {
    const reached = deferred<void>();
    const proceed = deferred<void>();
    const run = async (ctx: Context) => {
      const { signal } = ctx;
      reached.resolve();
      await proceed.promise;
      return signal.aborted;
    };
    await using app = await start(bundleOf(apis({ "GET /": run })));
    const answer = request(app.port, "/");
    await reached.promise;
    const stopped = app.close();
    proceed.resolve();
    expect((await answer).body).toBe("false");
    await stopped;
  });

  test("a first request that is still in flight on a new connection is answered", async () => {
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })));
    const idle = connect(app.port, "127.0.0.1", () => idle.write(get("/")));
    const late = connect(app.port, "127.0.0.1");
    await Promise.all([once(late, "connect"), once(idle, "data")]);
    const answer = closed(late);
    const closing = app.close();
    // By then, the drain has checked every connection twice.
    await once(idle, "close");
    late.write(get("/"));
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK[^]*connection: close/i);
    await closing;
  });

  test("idle connections do not hold it up, whether they have served or never said a word", async () => {
    const drainMs = 200_000;
    await using app = await start(bundleOf(apis({ "GET /": () => 1 })), {}, { drainMs });
    const silent = connect(app.port, "127.0.0.1");
    const served = connect(app.port, "127.0.0.1", () => served.write(get("/")));
    await Promise.all([once(silent, "connect"), once(served, "data")]);
    const started = performance.now();
    await app.close();
    expect(performance.now() - started).toBeLessThan(drainMs);
  });
});
