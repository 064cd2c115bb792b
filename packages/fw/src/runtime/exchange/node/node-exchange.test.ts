import { connect } from "node:net";
import { expect, test } from "vitest";
import { beginReading, serve, until } from "../../testing/server.ts";

const get = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";

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
