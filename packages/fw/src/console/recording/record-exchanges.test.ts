import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { EventHub } from "../event-hub.ts";
import { recordExchanges } from "./record-exchanges.ts";

const hub = new EventHub();
const server = createServer((request, response) => void answer(request, response));
let origin: string;
/** The properties of Node's objects for each request, by its id. */
const properties = new Map<string, readonly (string | symbol)[]>();

beforeAll(async () => {
  recordExchanges(hub.addExchange);
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

/** Echoes the body as the runtime writes responses: the head as a list, then the body in chunks. */
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const id = String(request.headers["x-id"]);
  const type = request.headers["content-type"] ?? "text/plain";
  response.writeHead(Number(request.headers["x-status"] ?? 200), [
    "Content-Type",
    type,
    "X-Request-Id",
    id,
    "Set-Cookie",
    ["s=secret; Path=/", "t=u"],
  ] as never);
  for await (const chunk of request) response.write(chunk);
  response.end();
  properties.set(id, [...Reflect.ownKeys(request), ...Reflect.ownKeys(response)]);
}

async function send(id: string, path: string, init: RequestInit = {}): Promise<string> {
  const answered = await fetch(origin + path, { ...init, headers: { ...init.headers, "x-id": id } });
  return answered.text();
}

test("headers and bodies are recorded, credentials masked", async () => {
  const body = JSON.stringify({ name: "ann", password: "hunter2" });
  const headers = { "content-type": "application/json", authorization: "Bearer abc", cookie: "fw=abc" };
  expect(await send("1", "/people?token=abc&page=2", { method: "POST", body, headers })).toBe(body);
  const view = hub.exchange("1");
  expect(view?.target).toBe("/people?token=•••&page=2");
  expect(Object.fromEntries(view?.requestHeaders ?? [])).toMatchObject({
    authorization: "Bearer •••",
    cookie: "fw=•••",
  });
  expect(view?.responseHeaders.filter(([name]) => name === "Set-Cookie")).toEqual([
    ["Set-Cookie", "s=•••; Path=/"],
    ["Set-Cookie", "t=•••"],
  ]);
  for (const recorded of [view?.requestBody, view?.responseBody])
    expect(recorded).toEqual({ bytes: body.length, isCut: false, text: '{"name":"ann","password":"•••"}' });
});

test("the first 16 kB of a body are recorded, of one that is not text none", async () => {
  const long = "é".repeat(100_000);
  await send("2", "/", { method: "POST", body: long });
  expect(hub.exchange("2")?.requestBody).toMatchObject({ bytes: 200_000, isCut: true });
  expect(hub.exchange("2")?.responseBody.text).toMatch(/^é{8000,8192}/);
  const headers = { "content-type": "image/png" };
  await send("3", "/", { method: "POST", body: Buffer.alloc(50), headers });
  expect(hub.exchange("3")?.requestBody).toEqual({ bytes: 50, isCut: true });
});

test("a multipart form is recorded as text, secret fields masked, unless a file is not text", async () => {
  const sendForm = async (id: string, file: string | Uint8Array<ArrayBuffer>): Promise<void> => {
    const form = new FormData();
    form.set("name", "Ann's ü");
    form.set("password", "hunter2\r\n--more");
    form.set("file", new Blob([file]), "a.txt");
    await send(id, "/", { method: "POST", body: form });
  };
  await sendForm("form-text", "line 1\r\nline 2");
  const text = hub.exchange("form-text")?.requestBody.text ?? "";
  expect(text).toContain('name="password"\r\n\r\n•••\r\n');
  expect(text).toMatch(/Ann's ü\r\n[^]*line 1\r\nline 2\r\n/);
  expect(text).not.toMatch(/hunter2|more/);
  await sendForm("form-long", "é".repeat(20_000));
  expect(hub.exchange("form-long")?.requestBody).toMatchObject({ isCut: true, text: expect.stringContaining("éé") });
  await sendForm("form-binary", new Uint8Array([0, 255, 254]));
  expect(hub.exchange("form-binary")?.requestBody).toEqual({ bytes: expect.any(Number), isCut: true });
});

test("during a load test, the whole body of a request is recorded if it fails", async () => {
  const post = (id: string, status: number): Promise<string> =>
    send(id, "/", { method: "POST", body: `${"x".repeat(9_000)}${id}`, headers: { "x-status": String(status) } });
  // Keep the filter's second from ending, however slow the machine is.
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  for (let i = 0; i === 0 || hub.exchange(`load-${i}`) !== undefined;) await post(`load-${(i += 1)}`, 200);
  for (const id of ["failed-1", "failed-2"]) {
    await post(id, 500);
    expect(hub.exchange(id)?.requestBody).toEqual({ bytes: 9_008, isCut: false, text: `${"x".repeat(9_000)}${id}` });
  }
});

test("a record adds no property to Node's objects, which would give them a second hidden class", async () => {
  const headers = { "x-status": "500" };
  await send("recorded", "/", { method: "POST", body: "a", headers });
  await send("unrecorded", "/_fw/console/api/events", { method: "POST", body: "a", headers });
  expect([hub.exchange("recorded")?.responseBody.text, hub.exchange("unrecorded")]).toEqual(["a", undefined]);
  expect(properties.get("recorded")).toEqual(properties.get("unrecorded"));
});

test("requests to the framework's endpoints are not recorded", async () => {
  await send("4", "/_fw/console/api/events", { method: "POST", body: "{}" });
  expect(hub.exchange("4")).toBeUndefined();
});
