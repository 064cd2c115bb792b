import { connect } from "node:net";
import { expect, test } from "vitest";
import { beginReading, exchange, serve, until } from "../../testing/server.ts";

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

const responses: readonly (readonly [name: string, version: string, headers: readonly string[], end: string])[] = [
  ["a length", "1.1", ["Content-Length", "4000000"], "x"],
  ["chunks", "1.1", [], "\r\n0\r\n\r\n"],
  ["an end with the connection", "1.0", [], "x"],
];

test.each(responses)(
  "a client that sends a body which nobody reads gets the whole of an early response with %s",
  async (_, version, headers, end) => {
    await using server = await serve(async ({ exchange }) => {
      exchange.begin(200, [...headers]);
      for (let n = 0; n < 40; n++)
        if (!exchange.write("x".repeat(100_000))) await new Promise<void>((resolve) => exchange.onceDrained(resolve));
      exchange.end();
    });
    const head = `POST / HTTP/${version}\r\nHost: x\r\nContent-Length: 4000000000\r\n\r\n`;
    const answer = await exchange(server.port, `${head}${"b".repeat(1_000_000)}`);
    expect([answer.match(/x/g)?.length, answer.endsWith(end)]).toEqual([4_000_000, true]);
  },
);

test("responses that end before they drain leave no listener on their connection", async () => {
  const counts: number[] = [];
  let drained = 0;
  await using server = await serve(({ exchange }) => {
    counts.push(exchange.req.socket.listenerCount("close"));
    exchange.begin(200, []);
    while (exchange.write(Buffer.alloc(100_000))) continue;
    exchange.onceDrained(() => drained++);
    exchange.end();
  });
  const socket = connect(server.port, "127.0.0.1", () => socket.write(get));
  let text = "";
  let responses = 0;
  socket.on("data", (chunk) => {
    text = (text + chunk.toString("latin1")).slice(-50_000);
    if (!text.endsWith("\r\n0\r\n\r\n")) return;
    text = "";
    if (++responses < 4) socket.write(get);
  });
  await until(() => responses === 4, "the responses");
  expect(new Set(counts).size).toBe(1);
  expect(drained).toBe(4);
  socket.destroy();
});

test("a response whose client has disconnected waits for nothing", async () => {
  let drained = 0;
  await using server = await serve(async ({ exchange }) => {
    exchange.begin(200, []);
    exchange.write("a");
    await new Promise<void>((resolve) => exchange.onGone(resolve));
    expect(exchange.write("b")).toBe(false);
    exchange.onceDrained(() => drained++);
  });
  (await beginReading(server.port, "/")).destroy();
  await until(() => drained === 1, "the end of the wait");
});
