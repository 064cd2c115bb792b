import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { createServer, type ClientRequest, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { post } from "./post.ts";

afterEach(() => vi.useRealTimers());

interface PatientServer extends AsyncDisposable {
  readonly url: string;
  /** Resolves with the next request's response, which has not been started. */
  next(): Promise<ServerResponse>;
}

/** Starts a server whose responses the test sends. */
async function patientServer(): Promise<PatientServer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    next: async () => ((await once(server, "request")) as [unknown, ServerResponse])[1],
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Advances the clock of JavaScript timers. Node's socket timers are separate. */
async function passAnHour(): Promise<void> {
  for (let ticks = 0; ticks < 360; ticks++) await vi.advanceTimersByTimeAsync(10_000);
}

const message = { headers: { "x-a": "1" }, body: "work" };

test("an answer is waited for as long as it takes, where fetch gives up after five minutes", async () => {
  await using server = await patientServer();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date", "performance"] });
  const fetching = server.next();
  const fetched = fetch(server.url, { method: "POST", body: "work" }).catch((error: Error) => String(error.cause));
  await fetching;
  const posting = server.next();
  const posted = post(server.url, message);
  const response = await posting;
  await passAnHour();
  response.writeHead(200, { "content-type": "text/plain" }).write("half ");
  await passAnHour();
  response.end("an hour");
  expect(await posted).toEqual({ status: 200, type: "text/plain", text: "half an hour" });
  expect(await fetched).toContain("Timeout");
});

/** A request that exposes the timeout in its options. */
type TimedRequest = ClientRequest & { readonly timeout?: number };

test("neither its request nor its socket has a timeout", async () => {
  await using server = await patientServer();
  const requests: TimedRequest[] = [];
  const hear = (message: unknown): void => void requests.push((message as { request: TimedRequest }).request);
  subscribe("http.client.request.start", hear);
  const arriving = server.next();
  const posted = post(server.url, message);
  const response = await arriving;
  unsubscribe("http.client.request.start", hear);
  const own = requests.filter(({ host, path }) => host === "127.0.0.1" && path === "/");
  expect(own.map(({ timeout, socket }) => [timeout ?? 0, socket?.timeout ?? 0])).toEqual([[0, 0]]);
  response.end();
  expect((await posted).status).toBe(200);
});

test("it gives up when its signal aborts, and cuts the connection", async () => {
  await using server = await patientServer();
  const arriving = server.next();
  const giveUp = new AbortController();
  const posted = post(server.url, { ...message, signal: giveUp.signal });
  const response = await arriving;
  const cut = once(response, "close");
  giveUp.abort();
  await expect(posted).rejects.toMatchObject({ name: "AbortError" });
  await cut;
});
