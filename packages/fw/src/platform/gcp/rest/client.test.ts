import { text } from "node:stream/consumers";
import { expect, onTestFinished, test, vi } from "vitest";
import { openClient, type CloudClient, type CloudRequest } from "./client.ts";
import { CloudError } from "./cloud-error.ts";
import { Connections } from "./connections.ts";
import { readEndpoints } from "./endpoints.ts";
import type { CloudIdentity } from "./identity.ts";
import { Retries } from "./retry.ts";
import { google, json, refuse } from "./testing/google.ts";

const lookup: CloudRequest = { api: "datastore", method: "POST", path: "/v1/projects/p:lookup", body: { a: 1 } };

test("a call sends JSON with the token of the identity and gives the JSON that is answered", async () => {
  const { url, asked } = await google((_, res) => json(res, 200, { found: [] }));
  const { client } = clientOf(url);
  const query = { "updateMask.fieldPaths": "a b", force: true, none: undefined };
  expect(await client.call({ ...lookup, query })).toEqual({ found: [] });
  expect(asked[0]).toMatchObject({
    method: "POST",
    url: "/v1/projects/p:lookup?updateMask.fieldPaths=a+b&force=true",
    headers: { authorization: "Bearer token-1", host: "datastore.googleapis.com", "content-type": "application/json" },
    body: '{"a":1}',
  });
});

test("an answer without a body is undefined", async () => {
  const { url } = await google((_, res) => void res.writeHead(204).end());
  expect(await clientOf(url).client.call({ ...lookup, method: "DELETE" })).toBeUndefined();
});

test("a refusal is an error with Google's code and sentence, and says which request, without its query and body", async () => {
  const { url } = await google((_, res) => refuse(res, 404, "NOT_FOUND"));
  const error = await failureOf(clientOf(url).client.call({ ...lookup, query: { key: "secret" } }));
  expect(error).toMatchObject({ status: 404, code: "NOT_FOUND", unknownEffect: false });
  expect(error.message).toBe("POST datastore/v1/projects/p:lookup: 404 NOT_FOUND: no: NOT_FOUND");
});

test("a refusal in the manner of Cloud Storage has its code by its status, and its reason", async () => {
  const said = { error: { code: 412, message: "no", errors: [{ reason: "conditionNotMet" }] } };
  const { url } = await google((_, res) => json(res, 412, said));
  const error = await failureOf(clientOf(url).client.call(lookup));
  expect(error).toMatchObject({ status: 412, code: "FAILED_PRECONDITION", reason: "conditionNotMet" });
});

test.each([
  ["429", true],
  ["429", false],
  ["503", true],
  ["500", true],
  ["a reset before an answer", true],
  ["an answer that breaks off", true],
])("a call that fails for a moment with %s is made again (repeatable: %s)", async (fault, repeatable) => {
  const { url, asked } = await google((_, res, times) => {
    if (times > 2) json(res, 200, { times });
    else if (fault.startsWith("a reset")) res.socket?.resetAndDestroy();
    else if (fault.startsWith("an answer")) res.writeHead(200, { "content-length": "9" }).write("{");
    else refuse(res, Number(fault), "UNAVAILABLE");
    if (times <= 2 && fault.startsWith("an answer")) setImmediate(() => res.destroy());
  });
  const { client, pauses } = clientOf(url);
  expect(await client.call({ ...lookup, repeatable })).toEqual({ times: 3 });
  expect(asked).toHaveLength(3);
  expect(pauses).toHaveLength(2);
});

test.each(["503", "500", "a reset"])(
  "what may have been carried out is not made again unless it is repeatable: %s",
  async (fault) => {
    const { url, asked } = await google((_, res) => {
      if (fault === "a reset") res.socket?.resetAndDestroy();
      else refuse(res, Number(fault), "UNAVAILABLE");
    });
    const error = await failureOf(clientOf(url).client.call(lookup));
    expect(error.unknownEffect).toBe(true);
    expect(asked).toHaveLength(1);
  },
);

test("a call that could not connect has certainly not been carried out", async () => {
  const { url } = await google(() => {});
  const { client } = clientOf(url.replace(/\d+$/, "1"));
  const error = await failureOf(client.call(lookup));
  expect(error).toMatchObject({ status: 0, code: "UNREACHABLE", unknownEffect: false });
});

test("what the caller knows to pass is made again, and nothing else", async () => {
  const { url, asked } = await google((_, res, times) => {
    if (times > 1) json(res, 200, {});
    else refuse(res, 409, "ABORTED");
  });
  const { client } = clientOf(url);
  await client.call({ ...lookup, alsoRetry: ({ code }) => code === "ABORTED" });
  expect(asked).toHaveLength(2);
});

test("Retry-After is kept, and not waited for where it is too far", async () => {
  const { url, asked } = await google((_, res, times) => {
    if (times === 1) refuse(res, 429, "RESOURCE_EXHAUSTED", { "retry-after": "3" });
    else refuse(res, 429, "RESOURCE_EXHAUSTED", { "retry-after": "3600" });
  });
  const { client, pauses } = clientOf(url);
  expect(await failureOf(client.call(lookup))).toMatchObject({ status: 429, retryAfter: 3_600_000 });
  expect(asked).toHaveLength(2);
  expect(pauses).toEqual([3000]);
});

test("a call is given up after five attempts, with growing pauses between them", async () => {
  const { url, asked } = await google((_, res) => refuse(res, 503, "UNAVAILABLE"));
  const { client, pauses } = clientOf(url);
  await failureOf(client.call({ ...lookup, repeatable: true }));
  expect(asked).toHaveLength(5);
  for (const [i, pause] of pauses.entries()) {
    expect(pause).toBeGreaterThanOrEqual(50 * 2 ** i);
    expect(pause).toBeLessThanOrEqual(100 * 2 ** i);
  }
});

test("a service that is down is not asked five times for every call: all calls share one budget", async () => {
  const { url, asked } = await google((_, res) => refuse(res, 503, "UNAVAILABLE"));
  const { client } = clientOf(url);
  for (let i = 0; i < 100; i++) await failureOf(client.call({ ...lookup, repeatable: true }));
  expect(asked.length).toBeLessThan(200);
});

test("a token that is refused is exchanged once", async () => {
  const { url, asked } = await google((one, res) => {
    if (one.headers.authorization === "Bearer token-1") refuse(res, 401, "UNAUTHENTICATED");
    else json(res, 200, {});
  });
  const { client, pauses } = clientOf(url);
  await client.call(lookup);
  expect(asked.map((one) => one.headers.authorization)).toEqual(["Bearer token-1", "Bearer token-2"]);
  expect(pauses).toEqual([]);
  const strict = await google((_, res) => refuse(res, 401, "UNAUTHENTICATED"));
  expect(await failureOf(clientOf(strict.url).client.call(lookup))).toMatchObject({ status: 401 });
  expect(strict.asked).toHaveLength(2);
});

test("a signal ends a call with its reason: before it, while it waits for an answer, and between two attempts", async () => {
  const { url, asked } = await google(() => {});
  const { client } = clientOf(url);
  const reason = new Error("the deadline has passed");
  await expect(client.call({ ...lookup, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  expect(asked).toHaveLength(0);
  const ending = new AbortController();
  const waiting = client.call({ ...lookup, signal: ending.signal });
  await expect.poll(() => asked.length).toBe(1);
  ending.abort(reason);
  await expect(waiting).rejects.toBe(reason);

  const failing = await google((_, res) => refuse(res, 503, "UNAVAILABLE"));
  const second = new AbortController();
  const pausing = openClient({
    ...partsOf(failing.url),
    retries: new Retries(() => {
      second.abort(reason);
      return Promise.reject(new Error("woken"));
    }),
  });
  await expect(pausing.call({ ...lookup, repeatable: true, signal: second.signal })).rejects.toBe(reason);
});

test("calls that follow one another share a connection", async () => {
  const ports = new Set<number | undefined>();
  const { url } = await google((_, res) => {
    ports.add(res.socket?.remotePort);
    json(res, 200, {});
  });
  const { client } = clientOf(url);
  for (let i = 0; i < 5; i++) await client.call(lookup);
  expect(ports.size).toBe(1);
});

test("a connection that was not used for a minute is not trusted with another call", async () => {
  const ports = new Set<number | undefined>();
  const { url } = await google((_, res) => {
    ports.add(res.socket?.remotePort);
    json(res, 200, {});
  });
  const { client } = clientOf(url);
  await client.call(lookup);
  const real = performance.now.bind(performance);
  const now = vi.spyOn(performance, "now").mockImplementation(() => real() + 61_000);
  onTestFinished(() => now.mockRestore());
  await client.call(lookup);
  expect(ports.size).toBe(2);
});

test("128 connections lead to one host at the most; calls beyond wait for theirs", async () => {
  const releases: (() => void)[] = [];
  const ports = new Set<number | undefined>();
  const { url } = await google((_, res) => {
    ports.add(res.socket?.remotePort);
    releases.push(() => json(res, 200, {}));
  });
  const { client } = clientOf(url);
  const calls = Array.from({ length: 150 }, () => client.call(lookup));
  await expect.poll(() => releases.length).toBe(128);
  for (let i = 0; i < 150; i++) {
    await expect.poll(() => releases.length).toBeGreaterThan(i);
    releases[i]?.();
  }
  await Promise.all(calls);
  expect(ports.size).toBe(128);
});

test("an attempt without an answer is given up after 15 seconds, and a call that has failed for 20 is not made again", async () => {
  const { url, asked } = await google(() => {});
  const { client } = clientOf(url);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const failing = failureOf(client.call({ ...lookup, repeatable: true }));
  for (let attempt = 1; attempt <= 2; attempt++) {
    await vi.waitUntil(() => asked.length === attempt, { interval: 1, timeout: 60_000 });
    await vi.advanceTimersByTimeAsync(15_000);
  }
  expect((await failing).message).toContain("no response within 15000 ms");
  expect(asked).toHaveLength(2);
});

test("a call whose answer comes byte by byte ends with its signal", async () => {
  const { url } = await google((_, res) => void res.writeHead(200, { "content-type": "application/json" }).write("{"));
  const { client } = clientOf(url);
  const controller = new AbortController();
  const failing = client.call({ ...lookup, signal: controller.signal }).catch((error: unknown) => error);
  const why = new Error("the deadline has passed");
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort(why);
  expect(await failing).toBe(why);
});

test("bytes and streams are sent as they are, a redirect is an answer, and an error of an upload is not tried again", async () => {
  const { url, asked } = await google((one, res) => {
    if (one.body === "again") res.writeHead(308, { range: "bytes=0-4" }).end();
    else if (one.body === "no") refuse(res, 503, "UNAVAILABLE");
    else res.writeHead(200, { "x-goog-hash": "h" }).end(one.body);
  });
  const { client } = clientOf(url);
  const put = {
    api: "storage",
    method: "PUT",
    path: "/upload/storage/v1/b",
    headers: { "content-type": "a/b" },
  } as const;
  const answer = await client.open({ ...put, body: new Blob(["bytes"]).stream() });
  expect(answer.headers["x-goog-hash"]).toBe("h");
  expect(await text(answer.body)).toBe("bytes");
  const again = await client.open({ ...put, body: new TextEncoder().encode("again") });
  expect([again.status, again.headers.range, asked[1]?.headers["content-type"]]).toEqual([308, "bytes=0-4", "a/b"]);
  again.body.resume();
  await failureOf(client.open({ ...put, body: new Blob(["no"]).stream(), repeatable: true }));
  expect(asked).toHaveLength(3);
});

test("an upload whose stream fails fails with it, and its connection is let go", async () => {
  const { url } = await google(() => {});
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("the visitor left")),
  });
  const { client } = clientOf(url);
  const error = await failureOf(client.open({ api: "storage", method: "PUT", path: "/upload", body }));
  expect(error.message).toContain("the visitor left");
});

interface OpenClient {
  readonly client: CloudClient;
  /** The pauses between attempts in milliseconds; the test skips the waiting. */
  readonly pauses: readonly number[];
}

function clientOf(url: string): OpenClient {
  const pauses: number[] = [];
  const retries = new Retries(async (milliseconds) => void pauses.push(milliseconds));
  const client = openClient({ ...partsOf(url), retries });
  onTestFinished(() => client.close());
  return { client, pauses };
}

function partsOf(url: string): Omit<Parameters<typeof openClient>[0], "retries"> {
  const endpointOf = readEndpoints({ FW_CLOUD_HOSTS: JSON.stringify({ "*.googleapis.com": url }) });
  return { connections: new Connections(), endpointOf, identity: countedIdentity() };
}

/** Creates an identity whose access token is token-1, and token-2 once token-1 has been rejected. */
function countedIdentity(): CloudIdentity {
  let count = 1;
  return {
    accessToken: async () => `token-${count}`,
    forgetAccessToken: () => void count++,
    email: async () => "",
  };
}

async function failureOf(work: Promise<unknown>): Promise<CloudError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof CloudError) return error;
  throw new Error("a CloudError was expected", { cause: error });
}
