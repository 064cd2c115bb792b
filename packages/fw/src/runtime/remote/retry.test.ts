import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { blob } from "../../declare/blob.ts";
import { apis } from "../testing/app.ts";
import { until as waitFor } from "../testing/server.ts";
import { TestServices } from "../testing/services.ts";

type Answer = (req: IncomingMessage, res: ServerResponse) => void;

/** Starts a service that drops connections as scripted, and counts the requests that arrive. */
async function flaky(answer: Answer, method = "GET") {
  const counts = { connections: [] as Socket[], runs: 0 };
  const run: Answer = (req, res) => {
    req.resume().once("end", () => {
      counts.runs++;
      answer(req, res);
    });
  };
  const server = createServer(run);
  server.on("checkContinue", (req, res) => {
    res.writeContinue();
    run(req, res);
  });
  server.on("connection", (socket) => counts.connections.push(socket));
  await listen(server);
  const services = new TestServices();
  services.addresses.set("orders", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const endpoints = apis({ [`${method} /x`]: () => undefined });
  const { call } = await services.caller(endpoints);
  return { told: counts, server, call, services, endpoints };
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

const drop: Answer = (req) => void req.socket.destroy();
const nothing: Answer = (_, res) => void res.writeHead(204, { "X-Fw-Result": "nothing" }).end();

/** Returns a handler that gives these responses in order and then repeats the last one. */
function inTurn(...answers: readonly Answer[]): Answer {
  let next = 0;
  return (req, res) => answers[Math.min(next++, answers.length - 1)]?.(req, res);
}

test("a GET whose connection is dropped is made again, at most twice", async () => {
  const recovering = await flaky(inTurn(drop, drop, nothing));
  await recovering.call();
  expect(recovering.told.runs).toBe(3);
  const lost = await flaky(drop);
  await expect(lost.call()).rejects.toThrow("GET /x of the service orders did not respond");
  expect(lost.told.runs).toBe(3);
});

test.each(["POST", "PUT", "PATCH", "DELETE"])("a %s runs at most once a call, whatever breaks", async (method) => {
  const { told, call } = await flaky(drop, method);
  const calls = Array.from({ length: 20 }, () => call());
  const settled = await Promise.allSettled(calls);
  expect(settled.map(({ status }) => status)).toEqual(calls.map(() => "rejected"));
  expect(told.runs).toBe(20);
});

test("what was answered in part is not asked again", async () => {
  const partly: Answer = (req, res) => {
    res.writeHead(200, { "X-Fw-Result": "json", "Content-Length": "10" }).write("[1,");
    req.socket.destroySoon();
  };
  const { told, call } = await flaky(partly);
  await expect(call()).rejects.toThrow("GET /x of the service orders could not be reached");
  expect(told.runs).toBe(1);
});

test("an answer is not asked for again because of its status", async () => {
  const { told, call } = await flaky((_, res) => void res.writeHead(503).end("upstream"));
  await expect(call()).rejects.toThrow("got 503 from a proxy");
  expect(told.runs).toBe(1);
});

test.each(["GET", "POST", "DELETE"])("a %s finds a service that is just being started again", async (method) => {
  const { told, call, server, services } = await flaky(nothing, method);
  const { port } = new URL(services.addresses.get("orders") ?? "");
  await new Promise((resolve) => server.close(resolve));
  const calling = call();
  await passed(30);
  await new Promise<void>((resolve) => server.listen(Number(port), "127.0.0.1", resolve));
  await calling;
  expect(told.runs).toBe(1);
});

test("calls one after the other go over one connection", async () => {
  const { told, call } = await flaky(nothing, "POST");
  for (let i = 0; i < 50; i++) await call({ json: "{}" });
  expect([told.runs, told.connections.length]).toEqual([50, 1]);
});

test("200 calls at once are all answered, over connections that the next 200 reuse", async () => {
  const services = new TestServices();
  const endpoints = apis({ "POST /x": { carries: "json", run: (_, { body }) => body } });
  await services.start("orders", { endpoints });
  const { call } = await services.caller(endpoints);
  const all = Array.from({ length: 200 }, (_, i) => i);
  const round = (): Promise<unknown[]> => Promise.all(all.map((i) => call({ json: String(i) })));
  expect(await round()).toEqual(all);
  expect(await round()).toEqual(all);
});

test.each(["GET", "POST", "DELETE"])(
  "a connection that the service closes while it is idle is no error of a %s, which runs once",
  async (method) => {
    const { told, call } = await flaky(nothing, method);
    for (let round = 0; round < 20; round++) {
      await call();
      // No server closes a connection that was just used.
      await passed(15);
      told.connections.at(-1)?.destroy();
      // Call in the same turn, so the caller cannot have noticed.
      await call();
      told.connections.at(-1)?.destroy();
    }
    expect(told.runs).toBe(40);
  },
);

test("a file goes only to a service that asks for it, so that a connection that is lost before is no error", async () => {
  const { told, call, server } = await flaky(nothing, "POST");
  const [reading] = server.listeners("checkContinue") as [Answer];
  server.removeAllListeners("checkContinue").on("checkContinue", inTurn(drop, reading));
  const content = new Response("x".repeat(1000)).body as ReadableStream<Uint8Array>;
  await call({ form: [["file", blob(content, { type: "text/plain" })]] });
  expect([told.runs, told.connections.length]).toEqual([1, 2]);
});

test("a refusal that comes before the body leaves the connection's next call alone", async () => {
  const services = new TestServices();
  const endpoints = apis({ "POST /x": { carries: "json", signIn: true } });
  await services.start("orders", { endpoints });
  const { call } = await services.caller(endpoints);
  for (let i = 0; i < 3; i++) await expect(call({ json: "{}" })).rejects.toMatchObject({ status: 401 });
});

/** Waits this many milliseconds, over turns of the event loop. */
function passed(milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  return waitFor(() => performance.now() > until, "time to pass");
}
