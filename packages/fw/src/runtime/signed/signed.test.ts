import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { blob } from "../../declare/blob.ts";
import type { PutPolicy } from "../../declare/bucket.ts";
import { ManualClock } from "../../platform/testing/conformance/fixture.ts";
import { bucketApp, type BucketApp } from "../testing/bucket.ts";
import { exchange, parseAnswer, request, until } from "../testing/server.ts";

const MB = 1024 * 1024;

/** The size of large uploads. Set `FW_UPLOAD_MB=200` for a long run. */
const megabytes = Number(process.env["FW_UPLOAD_MB"] ?? 64);

type Headers = Record<string, string>;

/** Uploads as a client would, using the result of `signedPut`. */
async function put(app: BucketApp, body: string | Uint8Array, policy: PutPolicy = {}, headers: Headers = {}) {
  const signed = await app.run((ctx) => app.photos.signedPut(ctx, "a/b.txt", "10m", policy));
  return fetch(app.app.url + signed.url, {
    method: "PUT",
    body: body as never,
    headers: { ...signed.headers, ...headers },
  });
}

async function storedContent(app: BucketApp): Promise<string | undefined> {
  const object = await app.platform.objects.open("photos", "a/b.txt");
  return object && new Response(object.stream()).text();
}

async function errorOf(answer: Response): Promise<[number, unknown]> {
  return [answer.status, ((await answer.json()) as { error: unknown }).error];
}

describe("a signed upload", () => {
  test("is stored, and answered 200 with the ETag", async () => {
    const app = await bucketApp();
    const answer = await put(app, "hello", {}, { "Content-Type": "text/plain; charset=utf-8" });
    const facts = await app.platform.objects.find("photos", "a/b.txt");
    expect([answer.status, await answer.text(), answer.headers.get("etag")]).toEqual([200, "", `"${facts?.etag}"`]);
    expect(facts).toMatchObject({ size: 5, contentType: "text/plain; charset=utf-8" });
    expect(await storedContent(app)).toBe("hello");
  });

  test("is bytes where it states no type, or none that is one", async () => {
    const app = await bucketApp();
    for (const headers of [{}, { "Content-Type": "nonsense" }] as Headers[]) {
      expect((await put(app, new Uint8Array([1]), {}, headers)).status).toBe(200);
      expect((await app.platform.objects.find("photos", "a/b.txt"))?.contentType).toBe("application/octet-stream");
    }
  });

  test("without a body is an empty object, whether it says so or not", async () => {
    const app = await bucketApp();
    const { url } = await app.run((ctx) => app.photos.signedPut(ctx, "a/b.txt", "10m"));
    for (const headers of [{}, { "Content-Length": "0" }] as Headers[]) {
      expect((await request(app.app.port, url, headers, "PUT")).status).toBe(200);
      expect(await storedContent(app)).toBe("");
    }
  });

  test("may be empty, and may come again", async () => {
    const app = await bucketApp();
    const { url } = await app.run((ctx) => app.photos.signedPut(ctx, "a/b.txt", "10m"));
    for (const body of ["", "second", "second"]) {
      const answer = await fetch(app.app.url + url, { method: "PUT", body });
      expect(answer.status).toBe(200);
      expect(await storedContent(app)).toBe(body);
    }
  });

  test.each([
    ["image/png", "image/png", 200],
    ["image/png", "IMAGE/PNG", 200],
    ["image/png", "image/png; charset=utf-8", 200],
    ["image/*", "image/webp", 200],
    ["text/plain; charset=utf-8", "text/plain", 200],
    ["image/png", "image/jpeg", 415],
    ["image/png", "image/pngx", 415],
    ["image/png", "text/html, image/png", 415],
    ["image/*", "imagery/png", 415],
    ["image/*", "image/*", 415],
    ["image/*", "text/html; x=image/png", 415],
    ["image/*", "", 415],
  ])("that must be %s and says %j is answered %i", async (contentType, type, status) => {
    const app = await bucketApp();
    const answer = await put(app, new Uint8Array(3), { contentType }, type === "" ? {} : { "Content-Type": type });
    if (status === 200) return expect(answer.status).toBe(200);
    expect(await errorOf(answer)).toEqual([415, `this upload must be ${contentType}`]);
    expect(await app.files()).toEqual([]);
  });

  test("of a type that the policy asks for must say so", async () => {
    const app = await bucketApp();
    const { url, headers } = await app.run((ctx) =>
      app.photos.signedPut(ctx, "a/b.txt", "10m", { contentType: "image/png" }),
    );
    expect(headers).toEqual({ "Content-Type": "image/png" });
    const answer = await fetch(app.app.url + url, { method: "PUT", body: new Uint8Array(3) });
    expect(await errorOf(answer)).toEqual([415, "this upload must be image/png"]);
  });

  test("of a wrong type is refused before its body is read", async () => {
    const app = await bucketApp();
    const { url } = await app.run((ctx) => app.photos.signedPut(ctx, "x", "10m", { contentType: "image/png" }));
    const head = `PUT ${url} HTTP/1.1\r\nHost: x\r\nContent-Type: text/html\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n`;
    const answer = await exchange(app.app.port, head);
    expect(answer).toMatch(/^HTTP\/1\.1 415 /);
  });

  test("that is announced as too large is refused before its body is read", async () => {
    const app = await bucketApp();
    const { url } = await app.run((ctx) => app.photos.signedPut(ctx, "x", "10m", { maxSize: 5 }));
    const size = "x-goog-content-length-range: 0,5\r\n";
    const head = `PUT ${url} HTTP/1.1\r\nHost: x\r\n${size}Content-Length: 6\r\nExpect: 100-continue\r\n\r\n`;
    const answer = parseAnswer(await exchange(app.app.port, head));
    expect([answer.status, answer.body]).toEqual([413, '{"error":"this upload is larger than 5 bytes"}']);
    expect(await app.files()).toEqual([]);
  });

  test("that turns out to be too large is refused at once, although more is to come", async () => {
    const app = await bucketApp();
    const { url } = await app.run((ctx) => app.photos.signedPut(ctx, "x", "10m", { maxSize: 70_000 }));
    const headers = "x-goog-content-length-range: 0,70000\r\nTransfer-Encoding: chunked\r\n";
    const chunk = `${(65_536).toString(16)}\r\n${"x".repeat(65_536)}\r\n`;
    const answer = await exchange(app.app.port, `PUT ${url} HTTP/1.1\r\nHost: x\r\n${headers}\r\n${chunk}${chunk}`);
    expect(parseAnswer(answer)).toMatchObject({
      status: 413,
      body: '{"error":"this upload is larger than 70000 bytes"}',
    });
    expect(await app.files()).toEqual([]);
    expect(await app.platform.objects.find("photos", "x")).toBeUndefined();
  });

  test("with MaxSize but without its header is refused", async () => {
    const app = await bucketApp();
    const signed = await app.run((ctx) => app.photos.signedPut(ctx, "a/b.txt", "10m", { maxSize: 5 }));
    expect(signed.headers).toEqual({ "x-goog-content-length-range": "0,5" });
    for (const headers of [
      {},
      { "x-goog-content-length-range": "0,6" },
      { "x-goog-content-length-range": "" },
    ] as Headers[]) {
      const answer = await fetch(app.app.url + signed.url, { method: "PUT", body: "12345", headers });
      expect(await errorOf(answer)).toEqual([403, "send this upload with the headers that came with its URL"]);
    }
    expect(
      (await fetch(app.app.url + signed.url, { method: "PUT", body: "12345", headers: signed.headers })).status,
    ).toBe(200);
    expect(
      (await fetch(app.app.url + signed.url, { method: "PUT", body: "123456", headers: signed.headers })).status,
    ).toBe(413);
    expect(await storedContent(app)).toBe("12345");
  });

  test("of a part is refused, because it would be taken for the whole", async () => {
    const app = await bucketApp();
    const answer = await put(app, "part", {}, { "Content-Range": "bytes 0-3/8" });
    expect(await errorOf(answer)).toEqual([
      400,
      "Content-Range is not supported: send the whole upload in one request",
    ]);
  });

  test("that the client gives up leaves what was there, and the URL still works", async () => {
    const app = await bucketApp();
    expect((await put(app, "before")).status).toBe(200);
    const { url } = await app.run((ctx) => app.photos.signedPut(ctx, "a/b.txt", "10m"));
    const lengths = ["Content-Length: 300000\r\n\r\n", `Transfer-Encoding: chunked\r\n\r\nfffff\r\n`];
    for (const rest of lengths) {
      const socket = connect(app.app.port, "127.0.0.1");
      socket.write(`PUT ${url} HTTP/1.1\r\nHost: x\r\n${rest}${"x".repeat(100_000)}`);
      await until(async () => (await app.files()).length === 2, "the upload to begin");
      socket.destroy();
      await until(async () => (await app.files()).length === 1, "the upload to be forgotten");
    }
    expect(await storedContent(app)).toBe("before");
    expect((await fetch(app.app.url + url, { method: "PUT", body: "after" })).status).toBe(200);
    expect(await storedContent(app)).toBe("after");
    expect(app.app.logs).toEqual([]);
  });

  test("that stalls is cut and leaves nothing, however long it may be", async () => {
    const app = await bucketApp({ times: { bodyMs: 200, slowCheckMs: 20 } });
    const { url } = await app.run((ctx) => app.photos.signedPut(ctx, "x", "10m"));
    const head = `PUT ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: 5000000000\r\n\r\nthe beginning`;
    expect(await exchange(app.app.port, head)).toBe("");
    await until(async () => (await app.files()).length === 0, "the upload to be forgotten");
    expect(await app.platform.objects.find("photos", "x")).toBeUndefined();
  });

  test("whose framing breaks off is not stored", async () => {
    const app = await bucketApp();
    const { url } = await app.run((ctx) => app.photos.signedPut(ctx, "x", "10m"));
    const head = `PUT ${url} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n`;
    await exchange(app.app.port, `${head}5\r\nhello\r\nZZ\r\n`);
    await until(async () => (await app.files()).length === 0, "the upload to be forgotten");
    expect(await app.platform.objects.find("photos", "x")).toBeUndefined();
  });

  test("takes one after the other on a connection", async () => {
    const app = await bucketApp();
    const { url } = await app.run((ctx) => app.photos.signedPut(ctx, "a/b.txt", "10m"));
    const body = "x".repeat(200_000);
    const one = `PUT ${url} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n`;
    const text = await exchange(app.app.port, `${one}\r\n${body}${one}Connection: close\r\n\r\n${body}`);
    expect(text.match(/HTTP\/1\.1 200 /g)).toHaveLength(2);
  });

  test(`of ${megabytes} MB goes in and out again through a process that grows by less than 100 MB`, async () => {
    const { put: into, get: from, memory } = await uploadProcess();
    await upload(into, 1);
    const before = memory();
    let most = before;
    const look = setInterval(() => (most = Math.max(most, memory())), 5);
    expect(await upload(into, megabytes)).toBe(200);
    expect(await download(from)).toBe(megabytes * MB);
    clearInterval(look);
    expect(most - before).toBeLessThan(100 * MB);
  });
});

describe("a signed download", () => {
  async function withObject(type = "text/plain", key = "a/b.txt") {
    const app = await bucketApp();
    await app.run((ctx) => app.photos.put(ctx, key, blob("0123456789", { type })));
    const { url, headers } = await app.run((ctx) => app.photos.signedGet(ctx, key, "10m"));
    expect(headers).toEqual({});
    return { ...app, url, get: (more: Headers = {}, method = "GET") => request(app.app.port, url, more, method) };
  }

  test("is answered as a blob response, with ETag, Range and HEAD", async () => {
    const { get } = await withObject();
    const whole = await get();
    const names = ["content-type", "content-length", "cache-control", "x-content-type-options", "accept-ranges"];
    expect([whole.status, whole.body, ...names.map((name) => whole.headers.get(name))]).toEqual([
      200,
      "0123456789",
      "text/plain",
      "10",
      "no-cache",
      "nosniff",
      "bytes",
    ]);
    expect((await get({ "If-None-Match": String(whole.headers.get("etag")) })).status).toBe(304);
    expect(await get({ Range: "bytes=2-4" })).toMatchObject({ status: 206, body: "234" });
    const head = await get({}, "HEAD");
    expect([head.status, head.body, head.headers.get("content-length")]).toEqual([200, "", "10"]);
  });

  test("of what is not there is 404", async () => {
    const { get, run, photos } = await withObject();
    await run((ctx) => photos.delete(ctx, "a/b.txt"));
    expect(await get()).toMatchObject({ status: 404, body: '{"error":"not found"}' });
  });

  test.each([
    "image/png",
    "image/jpeg",
    "video/mp4",
    "audio/ogg",
    "text/plain",
    "text/plain; charset=utf-8",
    "application/pdf",
  ])("of %s is shown", async (type) => {
    const { headers } = await (await withObject(type)).get();
    expect(headers.get("content-disposition")).toMatch(/^inline/);
    expect(headers.has("content-security-policy")).toBe(false);
  });

  test.each([
    "text/html",
    "TEXT/HTML",
    "text/html; charset=utf-8",
    "image/svg+xml",
    "application/xhtml+xml",
    "text/xml",
    "video/x+xml",
    "text/javascript",
    "text/css",
    "multipart/x-mixed-replace",
    "application/octet-stream",
    "application/x-shockwave-flash",
    "text/plainx",
  ])("of %s is downloaded, and has no origin where it is shown all the same", async (type) => {
    const { headers } = await (await withObject(type)).get();
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("content-disposition")).toMatch(/^attachment/);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none';.* sandbox$/);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  test.each([
    ["a/b.txt", `inline; filename="b.txt"; filename*=UTF-8''b.txt`],
    ["a/", "inline"],
    ['q"\\;é.png', `inline; filename="q____.png"; filename*=UTF-8''q%22%5C%3B%C3%A9.png`],
    ["it's (1)*.txt", `inline; filename="it_s _1__.txt"; filename*=UTF-8''it%27s%20%281%29%2a.txt`],
  ])("of %j is saved under the last part of its key", async (key, disposition) => {
    const { headers } = await (await withObject("text/plain", key)).get();
    expect(headers.get("content-disposition")).toBe(disposition);
  });

  test.each(["script", "serviceworker", "worker", "sharedworker", "xslt"])(
    "is not run as a %s",
    async (destination) => {
      const { get } = await withObject("text/javascript");
      expect(await get({ "Sec-Fetch-Dest": destination })).toMatchObject({ status: 403 });
      for (const harmless of ["document", "image", "video", "empty"])
        expect((await get({ "Sec-Fetch-Dest": harmless })).status).toBe(200);
    },
  );
});

describe("a signed URL", () => {
  async function signed() {
    const clock = new ManualClock();
    const app = await bucketApp({ clock });
    await app.run((ctx) => app.photos.put(ctx, "x", blob("x", { type: "text/plain" })));
    const { url: getURL } = await app.run((ctx) => app.photos.signedGet(ctx, "x", "10s"));
    const { url: putURL } = await app.run((ctx) => app.photos.signedPut(ctx, "x", "10s"));
    return {
      ...app,
      clock,
      getURL,
      putURL,
      ask: (url: string, method = "GET") => request(app.app.port, url, {}, method),
    };
  }
  const refusal = { status: 403, body: '{"error":"this URL is invalid or has expired"}' };

  test("allows one method", async () => {
    const { ask, getURL, putURL } = await signed();
    expect(await ask(putURL)).toMatchObject(refusal);
    expect((await ask(putURL, "HEAD")).status).toBe(403);
    expect(await ask(getURL, "PUT")).toMatchObject(refusal);
    const wrong = await ask(getURL, "POST");
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS, PUT"]);
  });

  test("is refused with 403 when it was edited, anywhere", async () => {
    const { ask, getURL } = await signed();
    expect((await ask(getURL)).status).toBe(200);
    const start = "/_fw/api/signed/".length;
    const edits = [`${getURL}/`, `${getURL}//`, getURL.slice(0, -1), getURL.slice(0, start), `${getURL}%20`];
    for (let i = start; i < getURL.length; i++)
      edits.push(getURL.slice(0, i) + (getURL[i] === "A" ? "B" : "A") + getURL.slice(i + 1));
    expect(edits.length).toBeGreaterThan(100);
    for (const url of edits) expect([url, await ask(url)]).toMatchObject([url, refusal]);
    expect(await ask(`${getURL}?x=1`)).toMatchObject(refusal);
  });

  test("is refused with 403 from its expiry on", async () => {
    const { ask, getURL, clock } = await signed();
    clock.advance(9_999);
    expect((await ask(getURL)).status).toBe(200);
    clock.advance(1);
    expect(await ask(getURL)).toMatchObject(refusal);
  });

  test("is answered to scripts of any origin, refusals too, and its preflight allows what it needs", async () => {
    const { ask, app, getURL, putURL } = await signed();
    for (const answer of [await ask(getURL), await ask(putURL), await ask(putURL, "PUT")]) {
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
      expect(answer.headers.get("access-control-expose-headers")).toContain("ETag");
      expect(answer.headers.has("access-control-allow-credentials")).toBe(false);
    }
    const preflight = await request(
      app.port,
      putURL,
      { Origin: "http://other", "Access-Control-Request-Method": "PUT" },
      "OPTIONS",
    );
    expect([preflight.status, preflight.headers.get("access-control-allow-methods")]).toEqual([204, "GET, HEAD, PUT"]);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("x-goog-content-length-range");
    expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("whose store cannot be read is a 500 without its reason", async () => {
    const { ask, app, getURL, platform } = await signed();
    await platform.close();
    expect(await ask(getURL)).toMatchObject({ status: 500, body: '{"error":"internal error"}' });
    expect(app.logs).toHaveLength(1);
  });
});

/** Starts a separate process that accepts uploads. `memory` returns the bytes it occupies. */
async function uploadProcess(): Promise<{ readonly put: string; readonly get: string; readonly memory: () => number }> {
  const directory = await mkdtemp(join(tmpdir(), "fw-uploads-"));
  const child = fork(fileURLToPath(new URL("../testing/uploads.mjs", import.meta.url)), [directory]);
  const closed = once(child, "close");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
    await rm(directory, { recursive: true });
  });
  const ended = closed.then(([code]) => Promise.reject(new Error(`the process ended with ${code} before it served`)));
  const [urls] = (await Promise.race([once(child, "message"), ended])) as [{ put: string; get: string }];
  const memory = (): number =>
    1024 * Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]);
  return { ...urls, memory };
}

/** Uploads this many megabytes as fast as the server reads them. */
async function upload(url: string, count: number): Promise<number | undefined> {
  const req = httpRequest(url, { method: "PUT", headers: { "Content-Length": count * MB } });
  const answered = once(req, "response") as Promise<[IncomingMessage]>;
  await pipeline(Readable.from(chunks(count)), req);
  const [answer] = await answered;
  return answer.resume().statusCode;
}

function* chunks(count: number): Generator<Buffer, void> {
  for (let i = 0; i < count; i++) yield Buffer.alloc(MB, i);
}

/** Downloads a URL and returns the number of bytes. */
async function download(url: string): Promise<number> {
  let bytes = 0;
  for await (const chunk of (await fetch(url)).body ?? []) bytes += (chunk as Uint8Array).byteLength;
  return bytes;
}
