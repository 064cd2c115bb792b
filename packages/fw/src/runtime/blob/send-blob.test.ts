import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { type Blob as FwBlob, blob } from "../../declare/blob.ts";
import { processorMs } from "../../lib/testing/processor-time.ts";
import { type TestServer, exchange, request, serve, until } from "../testing/server.ts";
import { type SendBlobOptions, sendBlob } from "./send-blob.ts";

function serveBlob(make: () => FwBlob, options: SendBlobOptions = { maxAge: 0 }): Promise<TestServer> {
  return serve((request) => sendBlob(request, make(), options));
}

/** Creates a blob that records cancellation and the number of pulls. */
function watchedBlob(chunks: readonly string[], options: { size?: number; etag?: string } = {}) {
  const counts = { cancelled: false, pulls: 0 };
  const rest = chunks.map((chunk) => Buffer.from(chunk));
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        counts.pulls++;
        const chunk = rest.shift();
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
      cancel() {
        counts.cancelled = true;
      },
    },
    { highWaterMark: 0 },
  );
  return { seen: counts, blob: blob(stream, { type: "text/plain", ...options }) };
}

/** Creates a stream that yields this many chunks and then fails. */
function failingAfter(chunks: number): ReadableStream<Uint8Array> {
  let pulls = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    if (pulls++ >= chunks) throw new Error("disk on fire");
    controller.enqueue(Buffer.from("chunk"));
  };
  return new ReadableStream({ pull }, { highWaterMark: 0 });
}

describe("Blob responses", () => {
  test("Content-Type comes from the blob", async () => {
    await using server = await serveBlob(() => blob("a,b\n", { type: "text/csv" }));
    const answer = await request(server.port, "/");
    expect([answer.status, answer.headers.get("content-type"), answer.body]).toEqual([200, "text/csv", "a,b\n"]);
  });

  test("a blob without a type is plain bytes", async () => {
    await using server = await serveBlob(() => blob("x", { type: "" }));
    expect((await request(server.port, "/")).headers.get("content-type")).toBe("application/octet-stream");
  });

  test("Content-Length is sent when the size is known", async () => {
    await using server = await serveBlob(() => blob(new Uint8Array(70_000), { type: "image/png" }));
    const answer = await request(server.port, "/");
    expect([answer.headers.get("content-length"), answer.body.length]).toEqual(["70000", 70_000]);
  });

  test("a blob of unknown size is sent chunked", async () => {
    await using server = await serveBlob(() => watchedBlob(["ab", "cd"]).blob);
    const answer = await request(server.port, "/");
    expect(answer.headers.has("content-length")).toBe(false);
    expect(await (await fetch(server.url)).text()).toBe("abcd");
  });

  test("ETag is sent when the blob carries one", async () => {
    await using server = await serveBlob(() => blob("x", { type: "text/plain", etag: "v1" }));
    expect((await request(server.port, "/")).headers.get("etag")).toBe('"v1"');
  });

  test("a blob response always carries nosniff", async () => {
    await using server = await serveBlob(() => blob("x", { type: "text/plain", etag: "v1" }));
    const plain = await request(server.port, "/");
    const notModified = await request(server.port, "/", { "If-None-Match": '"v1"' });
    expect([plain, notModified].map((a) => a.headers.get("x-content-type-options"))).toEqual(["nosniff", "nosniff"]);
  });

  test("a blob response is no-cache unless the route sets maxAge", async () => {
    await using server = await serveBlob(() => blob("x", { type: "text/plain" }));
    await using cached = await serveBlob(() => blob("x", { type: "text/plain" }), { maxAge: 600 });
    expect((await request(server.port, "/")).headers.get("cache-control")).toBe("no-cache");
    expect((await request(cached.port, "/")).headers.get("cache-control")).toBe("public, max-age=600");
  });

  test("the platform's own Blob and File serve", async () => {
    await using server = await serveBlob(() => new File(["hello"], "a.txt", { type: "text/plain" }));
    const answer = await request(server.port, "/");
    expect([answer.headers.get("content-length"), answer.body]).toEqual(["5", "hello"]);
  });

  test("HEAD answers the headers of GET, without a body, and the reader is closed", async () => {
    const { seen, blob: b } = watchedBlob(["abc"], { size: 3, etag: "v1" });
    await using server = await serveBlob(() => b);
    const answer = await request(server.port, "/", {}, "HEAD");
    expect([answer.status, answer.headers.get("content-length"), answer.body]).toEqual([200, "3", ""]);
    expect(seen).toEqual({ cancelled: true, pulls: 0 });
  });
});

describe("If-None-Match", () => {
  test("a matching If-None-Match is answered 304 without a body and the reader is closed", async () => {
    const { seen, blob: b } = watchedBlob(["abc"], { size: 3, etag: "v1" });
    await using server = await serveBlob(() => b);
    const answer = await request(server.port, "/", { "If-None-Match": '"v1"' });
    expect([answer.status, answer.body, answer.headers.get("etag")]).toEqual([304, "", '"v1"']);
    expect(answer.headers.has("content-length")).toBe(false);
    expect(seen).toEqual({ cancelled: true, pulls: 0 });
  });

  test.each([
    ['"v1"', 304],
    ['W/"v1"', 304],
    ['"other", "v1"', 304],
    ['"a,b" ,W/"c",  "v1"', 304],
    [', ,"v1"', 304],
    ["*", 304],
    ['"v2"', 200],
    ["v1", 200],
    ['"V1"', 200],
    ['w/"v1"', 200],
    ['"v1', 200],
    ['"x" "v1"', 200],
    ["", 200],
  ])("%s answers %i", async (header, status) => {
    await using server = await serveBlob(() => blob("x", { type: "text/plain", etag: "v1" }));
    expect((await request(server.port, "/", { "If-None-Match": header })).status).toBe(status);
  });

  test("a blob without an ETag is never answered 304", async () => {
    await using server = await serveBlob(() => blob("x", { type: "text/plain" }));
    for (const header of ['""', "*", '"v1"']) {
      expect((await request(server.port, "/", { "If-None-Match": header })).status).toBe(200);
    }
  });

  test("a POST is answered in full", async () => {
    await using server = await serveBlob(() => blob("x", { type: "text/plain", etag: "v1" }));
    expect((await request(server.port, "/", { "If-None-Match": "*", "Content-Length": "0" }, "POST")).status).toBe(200);
  });

  test("a header of 15 kB costs nothing", async () => {
    await using server = await serveBlob(() => blob("x", { type: "text/plain", etag: "v1" }));
    for (const header of ['"'.repeat(15_000), ",".repeat(15_000), 'W/"a",'.repeat(2_500), " ".repeat(15_000)]) {
      const ask = async (): Promise<void> =>
        expect((await request(server.port, "/", { "If-None-Match": header })).status).toBe(200);
      expect(await processorMs(ask, 1_000)).toBeLessThan(1_000);
    }
  });
});

describe("Range", () => {
  const digits = "0123456789";

  test.each([
    ["bytes=0-3", 206, "0123", "bytes 0-3/10"],
    ["bytes=4-", 206, "456789", "bytes 4-9/10"],
    ["bytes=-2", 206, "89", "bytes 8-9/10"],
    ["bytes=-20", 206, digits, "bytes 0-9/10"],
    ["bytes=8-99", 206, "89", "bytes 8-9/10"],
    ["bytes=10-", 416, "", "bytes */10"],
    ["bytes=-0", 416, "", "bytes */10"],
    ["bytes=3-2", 200, digits, undefined],
    ["bytes=0-1,4-5", 200, digits, undefined],
    ["bytes=-", 200, digits, undefined],
    ["lines=0-1", 200, digits, undefined],
    ["bytes=0-99999999999999999999", 200, digits, undefined],
  ])("%s answers %i", async (range, status, body, contentRange) => {
    for (const make of [
      () => blob(digits, { type: "text/plain" }),
      () => new Blob([digits]),
      () => watchedBlob(["0123", "45", "6789"], { size: 10 }).blob,
    ]) {
      await using server = await serveBlob(make);
      const answer = await request(server.port, "/", { Range: range });
      expect([answer.status, answer.body, answer.headers.get("content-range")]).toEqual([status, body, contentRange]);
      expect(answer.headers.get("content-length")).toBe(String(body.length));
    }
  });

  test("what lies behind the range is not read", async () => {
    const { seen, blob: b } = watchedBlob(["0123", "4567", "89"], { size: 10 });
    await using server = await serveBlob(() => b);
    expect((await request(server.port, "/", { Range: "bytes=1-2" })).body).toBe("12");
    expect(seen).toEqual({ cancelled: true, pulls: 1 });
  });

  test.each([
    ['"v1"', 206],
    ['"v2"', 200],
    ['W/"v1"', 200],
    ["Wed, 21 Oct 2015 07:28:00 GMT", 200],
  ])("If-Range: %s answers %i", async (ifRange, status) => {
    await using server = await serveBlob(() => blob(digits, { type: "text/plain", etag: "v1" }));
    expect((await request(server.port, "/", { Range: "bytes=0-3", "If-Range": ifRange })).status).toBe(status);
  });

  test("a blob of unknown size, a HEAD and a POST ignore it", async () => {
    await using unknown = await serveBlob(() => watchedBlob([digits]).blob);
    await using known = await serveBlob(() => blob(digits, { type: "text/plain" }));
    expect((await request(unknown.port, "/", { Range: "bytes=0-3" })).status).toBe(200);
    expect((await request(known.port, "/", { Range: "bytes=0-3" }, "HEAD")).status).toBe(200);
    expect((await request(known.port, "/", { Range: "bytes=0-3", "Content-Length": "0" }, "POST")).status).toBe(200);
  });
});

describe("a reader", () => {
  test("that fails before its first byte is a 500", async () => {
    await using server = await serveBlob(() => blob(failingAfter(0), { type: "text/plain" }));
    expect((await request(server.port, "/")).status).toBe(500);
    expect(server.failure()).toEqual(new Error("disk on fire"));
  });

  test("that fails mid-way destroys the connection instead of ending cleanly", async () => {
    await using server = await serveBlob(() => blob(failingAfter(1), { type: "text/plain" }));
    const text = await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
    await expect(fetch(server.url).then((answer) => answer.text())).rejects.toThrow();
    expect(server.failure()).toEqual(new Error("disk on fire"));
  });

  test.each([
    ["fewer", ["ab"], 3],
    ["more", ["ab", "cd"], 3],
  ])("that gives %s bytes than the size says never passes for the whole", async (_, chunks, size) => {
    await using server = await serveBlob(() => watchedBlob(chunks, { size }).blob);
    const text = await exchange(server.port, "GET / HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n");
    expect(text.split("HTTP/1.1").length - 1).toBeLessThanOrEqual(1);
    expect(String(server.failure())).toMatch(/than its size/);
  });

  test("that gives text is a fault of the handler", async () => {
    const text = new ReadableStream({ start: (c) => c.enqueue("text") });
    await using server = await serveBlob(() => blob(text, { type: "text/plain" }));
    expect((await request(server.port, "/")).status).toBe(500);
    expect(String(server.failure())).toContain("must yield Uint8Array chunks, not string");
  });

  test("is cancelled when the client disconnects", async () => {
    const { seen, blob: b } = watchedBlob(Array.from({ length: 1_000 }, () => "x".repeat(65_536)));
    await using server = await serveBlob(() => b);
    const socket = connect(server.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    socket.once("data", () => socket.destroy());
    await until(() => seen.cancelled, "the reader to be cancelled");
    expect(seen.pulls).toBeLessThan(1_000);
  });

  test("that waits is cancelled when the client disconnects", async () => {
    let cancelled = false;
    const waiting = new ReadableStream<Uint8Array>({ cancel: () => void (cancelled = true) }, { highWaterMark: 0 });
    await using server = await serveBlob(() => blob(waiting, { type: "text/event-stream" }));
    const socket = connect(server.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    const [head] = await new Promise<[Buffer]>((resolve) => socket.once("data", (chunk) => resolve([chunk])));
    expect(head.toString()).toContain("HTTP/1.1 200 OK");
    socket.destroy();
    await until(() => cancelled, "the reader to be cancelled");
  });

  test("of a pipelined answer is cancelled when the client disconnects", async () => {
    const blobs = [0, 1].map(() => watchedBlob(Array.from({ length: 1_000 }, () => "x".repeat(65_536))));
    let next = 0;
    await using server = await serveBlob(() => blobs[next++]!.blob);
    const twice = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".repeat(2);
    const socket = connect(server.port, "127.0.0.1", () => socket.write(twice));
    await until(() => blobs[1]!.seen.pulls > 0, "the second answer to begin");
    socket.destroy();
    await until(() => blobs.every((b) => b.seen.cancelled), "both readers to be cancelled");
  });

  test("is read at the pace of the client", async () => {
    const { seen, blob: b } = watchedBlob(Array.from({ length: 2_000 }, () => "x".repeat(65_536)));
    await using server = await serveBlob(() => b);
    const socket = connect(server.port, "127.0.0.1", () => socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"));
    socket.pause();
    let before = -1;
    await until(async () => {
      const settled = seen.pulls === before && seen.pulls > 0;
      before = seen.pulls;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return settled;
    }, "reading to pause");
    expect(seen.pulls).toBeLessThan(300);
    socket.destroy();
    await until(() => seen.cancelled, "the reader to be cancelled");
  });
});

describe("a blob that cannot be described in headers", () => {
  test.each([
    ["an etag with quotes", { type: "text/plain", etag: '"v1"' }, "fw adds the quotes"],
    ["an etag with a line break", { type: "text/plain", etag: "a\r\nSet-Cookie: x" }, "etag"],
    ["a type with a line break", { type: "text/plain\r\nSet-Cookie: x" }, "type"],
    ["a negative size", { type: "text/plain", size: -1 }, "size"],
    ["a fractional size", { type: "text/plain", size: 1.5 }, "size"],
  ])("%s is a fault of the handler, and the reader is closed", async (_, options, message) => {
    const { seen, blob: b } = watchedBlob(["abc"]);
    await using server = await serveBlob(() => ({ ...b, ...options }));
    expect((await request(server.port, "/")).status).toBe(500);
    expect(String(server.failure())).toContain(message);
    expect(seen.cancelled).toBe(true);
  });
});
