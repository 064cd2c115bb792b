import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, vi } from "vitest";
import { blob } from "../../declare/blob.ts";
import type { Context } from "../../declare/context.ts";
import { remoteMs } from "../../lib/limits.ts";
import { originOf } from "../calls/origin.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { apis } from "../testing/app.ts";
import { deferred } from "../testing/deferred.ts";
import { until } from "../testing/server.ts";
import { remote, TestServices } from "../testing/services.ts";
import { longestTimerMs } from "./bounds.ts";

/** Starts a service whose handler waits until its signal aborts and then reports the reason. */
async function waiting() {
  const services = new TestServices();
  const start = deferred<void>();
  const end = deferred<unknown>();
  const run = async (ctx: Context): Promise<void> => {
    if (ctx.signal.aborted) end.resolve(ctx.signal.reason);
    ctx.signal.addEventListener("abort", () => end.resolve(ctx.signal.reason));
    start.resolve();
    await end.promise;
  };
  const endpoints = apis({ "GET /x": run }) as [BundledEndpoint];
  const orders = await services.start("orders", { endpoints });
  return { services, endpoints, orders, begun: start.promise, ended: end.promise };
}

test("a call whose caller goes away ends, and so does its handler", async () => {
  const { services, endpoints, begun, ended } = await waiting();
  const { call } = await services.caller(endpoints);
  const controller = new AbortController();
  const failure = expect(call({}, controller.signal)).rejects.toThrow("that is enough");
  await begun;
  controller.abort(new Error("that is enough"));
  await failure;
  expect(await ended).toMatchObject({ name: "AbortError" });
});

test("a call of one who has gone already is not made", async () => {
  const { services, endpoints, orders } = await waiting();
  const { call } = await services.caller(endpoints);
  await expect(call({}, AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
  await expect(call({}, undefined, performance.now() - 1)).rejects.toThrow("no time left for GET /x");
  expect(orders.logs).toEqual([]);
});

test("a visitor who goes away ends the handlers of every service", async () => {
  const { services, endpoints, begun, ended } = await waiting();
  const [load] = endpoints;
  const [middle] = apis({ "GET /middle": (ctx) => load.declaration.call(ctx, {} as never) }) as [BundledEndpoint];
  await services.start("middle", { endpoints: [middle], remotes: [remote("orders", load)] });
  const first = apis({ "GET /": (ctx) => middle.declaration.call(ctx, {} as never) });
  const web = await services.start("web", { endpoints: first, remotes: [remote("middle", middle)] });
  const controller = new AbortController();
  const response = fetch(web.url, { signal: controller.signal }).catch(() => "gone");
  await begun;
  controller.abort();
  expect(await response).toBe("gone");
  await ended;
  expect(web.logs).toEqual([]);
});

test("a call ends at the deadline of its caller's work", async () => {
  const { call, asked } = await ofSilence();
  const failure = expect(call({}, undefined, performance.now() + 30_000)).rejects.toThrow(
    /^GET \/x of the service orders took more/,
  );
  await asked;
  await vi.advanceTimersByTimeAsync(30_000);
  await failure;
});

test("a deadline further away than a timer can be set is none of the call's", async () => {
  const services = new TestServices();
  const endpoints = apis({ "GET /x": () => "answered" });
  await services.start("orders", { endpoints });
  const { call } = await services.caller(endpoints);
  expect(await call({}, undefined, performance.now() + 10 * longestTimerMs)).toBe("answered");
});

test("a handler's signal aborts at the deadline that the call names, on a connection that stays open", async () => {
  const { services, orders, ended } = await waiting();
  const Authorization = `Bearer ${services.token("web", "orders")}`;
  const answer = fetch(`${orders.url}/x`, { headers: { Authorization, "X-Fw-Deadline-Ms": "30" } });
  expect(await ended).toMatchObject({ name: "DeadlinePassed" });
  expect((await answer).status).toBe(204);
});

test("an outsider's deadline is not looked at", async () => {
  const services = new TestServices();
  const deadlines: (number | undefined)[] = [];
  const run = (ctx: Context): void => void deadlines.push(originOf(ctx).deadline);
  const orders = await services.start("orders", { endpoints: apis({ "GET /x": run }) });
  await fetch(`${orders.url}/x`, { headers: { "X-Fw-Deadline-Ms": "30" } });
  expect(deadlines).toEqual([undefined]);
});

test("the time that is left goes along from service to service", async () => {
  const services = new TestServices();
  const remainingTimes: number[] = [];
  const note = (ctx: Context): void => {
    const { deadline = Number.NaN } = originOf(ctx);
    remainingTimes.push(deadline - performance.now());
  };
  const [last] = apis({ "GET /last": note }) as [BundledEndpoint];
  const run = async (ctx: Context): Promise<void> => {
    note(ctx);
    await last.declaration.call(ctx, {} as never);
  };
  const middle = apis({ "GET /x": run });
  await services.start("billing", { endpoints: [last] });
  await services.start("orders", { endpoints: middle, remotes: [remote("billing", last)] });
  const { call } = await services.caller(middle);
  await call({}, undefined, performance.now() + 300_000);
  await call();
  const [first = 0, second = 0, third = 0, fourth = 0] = remainingTimes;
  expect(first).toBeLessThanOrEqual(300_000);
  expect(second).toBeLessThan(first);
  expect(second).toBeGreaterThan(remoteMs);
  expect(third).toBeLessThanOrEqual(remoteMs);
  expect(fourth).toBeLessThan(third);
});

test("without a deadline a call ends after a minute without an answer", async () => {
  const { call, asked } = await ofSilence();
  const failure = expect(call()).rejects.toThrow("GET /x of the service orders took more than 1m");
  await asked;
  await vi.advanceTimersByTimeAsync(remoteMs - 1);
  await vi.advanceTimersByTimeAsync(1);
  await failure;
});

/**
 * Prepares a call, on a stopped clock, to a service that never responds. `asked` resolves when the service receives it.
 */
async function ofSilence() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const asked = deferred<void>();
  const services = new TestServices();
  services.addresses.set("orders", await listen(createServer(() => asked.resolve())));
  const { call } = await services.caller(apis({ "GET /x": () => undefined }));
  return { call, asked: asked.promise };
}

const chunk = 64 * 1024;
const size = 50 * 1024 * 1024;

/** Creates a stream of 50 MB, or of the given size, that counts the bytes read from it. */
function bigStream(all: number = size) {
  const progress = { bytes: 0, cancelled: false };
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (progress.bytes === all) return controller.close();
        progress.bytes += chunk;
        return controller.enqueue(new Uint8Array(chunk).fill(progress.bytes % 251));
      },
      cancel: () => void (progress.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { made: progress, stream };
}

/** Waits until no chunk was read for many event loop turns: backpressure has paused the writer. */
async function paused(progress: { readonly bytes: number }): Promise<void> {
  let turns = 0;
  let before = 0;
  await until(() => {
    turns = progress.bytes > 0 && progress.bytes === before ? turns + 1 : 0;
    before = progress.bytes;
    return turns > 200;
  }, "the writer to wait");
}

async function lengthOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const each of stream) bytes += each.byteLength;
  return bytes;
}

test("50 MB come as fast as they are read, and no faster", async () => {
  const services = new TestServices();
  const { made, stream } = bigStream();
  const endpoints = apis({ "GET /x": () => blob(stream, { type: "video/mp4", size }) });
  await services.start("orders", { endpoints });
  const { call } = await services.caller(endpoints);
  const result = (await call()) as ReturnType<typeof blob>;
  await paused(made);
  expect(made.bytes).toBeLessThan(size / 3);
  expect([result.size, await lengthOf(result.stream())]).toEqual([size, size]);
});

test("a Blob of another service that is let go ends its stream there", async () => {
  const services = new TestServices();
  const { made, stream } = bigStream();
  const endpoints = apis({ "GET /x": () => blob(stream, { type: "video/mp4" }) });
  await services.start("orders", { endpoints });
  const { call } = await services.caller(endpoints);
  const result = (await call()) as ReturnType<typeof blob>;
  await result.stream().cancel();
  await until(() => made.cancelled, "the stream to be cancelled");
});

test("a Blob that breaks off breaks off for its reader", async () => {
  const services = new TestServices();
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new Uint8Array(chunk)),
    pull: (controller) => controller.error(new Error("the disk is gone")),
  });
  const endpoints = apis({ "GET /x": () => blob(stream, { type: "video/mp4", size }) });
  await services.start("orders", { endpoints });
  const { call } = await services.caller(endpoints);
  const result = (await call()) as ReturnType<typeof blob>;
  await expect(lengthOf(result.stream())).rejects.toThrow();
});

test("50 MB go as fast as they are taken, and no faster", async () => {
  const services = new TestServices();
  const resume = deferred<void>();
  let chunkCount = 0;
  const slow = createServer();
  slow.on("checkContinue", (req, res) => {
    res.writeContinue();
    req.on("end", () => res.writeHead(204, { "X-Fw-Result": "nothing" }).end());
    void resume.promise.then(() => req.on("data", (each: Buffer) => (chunkCount += each.byteLength)));
  });
  services.addresses.set("orders", await listen(slow));
  const { call } = await services.caller(apis({ "POST /x": () => undefined }));
  const { made, stream } = bigStream();
  const result = call({ form: [["file", blob(stream, { type: "video/mp4" })]] });
  await paused(made);
  expect(made.bytes).toBeLessThan(size / 3);
  resume.resolve();
  await result;
  expect(chunkCount).toBeGreaterThan(size);
});

test("a file goes through two services to a third, and back", async () => {
  const services = new TestServices();
  const back = { carries: "multipart" as const };
  const [last] = apis({
    "POST /last": { ...back, run: (_, { form }) => form?.files.get("file")?.[0] },
  }) as [BundledEndpoint];
  const [middle] = apis({
    "POST /x": {
      ...back,
      run: (ctx, { form }) => last.declaration.call(ctx, { form: [["file", form?.files.get("file")?.[0]]] } as never),
    },
  }) as [BundledEndpoint];
  await services.start("billing", { endpoints: [last] });
  await services.start("orders", { endpoints: [middle], remotes: [remote("billing", last)] });
  const { call } = await services.caller([middle]);
  const bytes = 40 * chunk;
  const { stream } = bigStream(bytes);
  const result = (await call({ form: [["file", blob(stream, { type: "video/mp4" })]] })) as ReturnType<typeof blob>;
  expect([result.type, result.size, await lengthOf(result.stream())]).toEqual(["video/mp4", bytes, bytes]);
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
