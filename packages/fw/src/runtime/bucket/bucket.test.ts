import { describe, expect, test } from "vitest";
import { blob } from "../../declare/blob.ts";
import { Bucket } from "../../declare/bucket.ts";
import type { Context } from "../../declare/context.ts";
import { transaction } from "../../declare/entity.ts";
import { NotFound } from "../../declare/errors.ts";
import { HOST } from "../../declare/slot.ts";
import { openFiles } from "../../lib/testing/open-files.ts";
import { ManualClock } from "../../platform/testing/conformance/fixture.ts";
import { createApplication } from "../create-application.ts";
import { apis, bundleOf } from "../testing/app.ts";
import { bucketApp } from "../testing/bucket.ts";
import { beginReading, request, until } from "../testing/server.ts";
import { settings } from "../settings.ts";

describe("a bucket", () => {
  test("gives back what was put, with its type, size and ETag", async () => {
    const { run, photos } = await bucketApp();
    const before = Date.now();
    const info = await run((ctx) => photos.put(ctx, "a/b.txt", blob("hello", { type: "text/plain" })));
    expect(info).toEqual({ key: "a/b.txt", size: 5, contentType: "text/plain", updated: expect.any(Date) as Date });
    expect(info.updated.getTime()).toBeGreaterThanOrEqual(before);
    const got = await run((ctx) => photos.get(ctx, "a/b.txt"));
    expect({ type: got.type, size: got.size, etag: got.etag }).toEqual({
      type: "text/plain",
      size: 5,
      etag: expect.stringMatching(/^[\w-]{16,}$/) as string,
    });
    expect(await new Response(got.stream()).text()).toBe("hello");
    expect(await run((ctx) => photos.exists(ctx, "a/b.txt"))).toBe(true);
  });

  test("takes any Blob: a File, one of a stream, and one without a type", async () => {
    const { run, photos } = await bucketApp();
    await run((ctx) => photos.put(ctx, "file", new File(["png"], "a.png", { type: "image/png" })));
    const chunks = new Response("streamed").body as ReadableStream<Uint8Array>;
    await run((ctx) => photos.put(ctx, "stream", blob(chunks, { type: "text/csv" })));
    await run((ctx) => photos.put(ctx, "bare", new Blob(["x"])));
    await run(async (ctx) => photos.put(ctx, "copy", await photos.get(ctx, "file")));
    const types = await Promise.all(
      ["file", "stream", "bare", "copy"].map((key) => run((ctx) => photos.get(ctx, key)).then(({ type }) => type)),
    );
    expect(types).toEqual(["image/png", "text/csv", "application/octet-stream", "image/png"]);
  });

  test("answers a miss with NotFound, which renders as 404", async () => {
    const { app, run, photos } = await bucketApp({
      handlers: (bucket) => ({ "GET /photo": (ctx) => bucket.get(ctx, "none") }),
    });
    await expect(run((ctx) => photos.get(ctx, "none"))).rejects.toEqual(NotFound());
    expect(await request(app.port, "/photo")).toMatchObject({ status: 404, body: '{"error":"not found"}' });
    expect(await run((ctx) => photos.exists(ctx, "none"))).toBe(false);
    await run((ctx) => photos.delete(ctx, "none"));
  });

  test("forgets what was deleted", async () => {
    const { run, photos } = await bucketApp();
    await run((ctx) => photos.put(ctx, "x", blob("x", { type: "text/plain" })));
    await run((ctx) => photos.delete(ctx, "x"));
    expect(await run((ctx) => photos.exists(ctx, "x"))).toBe(false);
  });

  test("lists ObjectInfo in key order, over pages", async () => {
    const { run, photos, platform } = await bucketApp();
    const keys = Array.from({ length: 1100 }, (_, i) => `p/${String(i).padStart(4, "0")}`);
    const put = (key: string): Promise<unknown> =>
      platform.objects.put("photos", key, new Response(key).body as never, { contentType: "text/plain" });
    await Promise.all(["a", ...keys.toReversed(), "q"].map(put));
    const list = (prefix?: string): Promise<string[]> =>
      run(async (ctx) => {
        const found: string[] = [];
        for await (const info of photos.list(ctx, prefix)) found.push(info.key);
        return found;
      });
    expect(await list("p/")).toEqual(keys);
    expect(await list("p/109")).toEqual(keys.slice(1090));
    expect(await list()).toEqual(["a", ...keys, "q"]);
    expect(await list("none")).toEqual([]);
    const first = await run(async (ctx) => {
      for await (const info of photos.list(ctx, "a")) return info;
      return undefined;
    });
    expect(first).toEqual({ key: "a", size: 1, contentType: "text/plain", updated: expect.any(Date) as Date });
  });

  test("keeps nothing of a Blob whose stream fails, or is not of its size", async () => {
    const { run, photos, files } = await bucketApp();
    const streams: [ReadableStream<Uint8Array>, number | undefined, string][] = [
      [chunks("ab", new Error("the reader broke")), undefined, "the reader broke"],
      [chunks("ab"), 3, "shorter than its size"],
      [chunks("ab", "cd"), 3, "longer than its size"],
      [new ReadableStream({ start: (c) => c.enqueue("text" as never) }), undefined, "must yield Uint8Array chunks"],
    ];
    for (const [stream, size, message] of streams) {
      const content = blob(stream, { type: "text/plain", ...(size !== undefined && { size }) });
      await expect(run((ctx) => photos.put(ctx, "x", content))).rejects.toThrow(message);
    }
    expect(await run((ctx) => photos.exists(ctx, "x"))).toBe(false);
    expect(await files()).toEqual([]);
  });

  test("refuses an illegal key with 400", async () => {
    const { run, photos } = await bucketApp();
    const content = blob("x", { type: "text/plain" });
    for (const key of ["", ".", "..", "a\nb", "x".repeat(1025)]) {
      const refusal = { status: 400, message: expect.stringContaining("a key must have 1 to 1,024 bytes") as string };
      for (const work of [
        (ctx: Context) => photos.get(ctx, key),
        (ctx: Context) => photos.put(ctx, key, content),
        (ctx: Context) => photos.delete(ctx, key),
        (ctx: Context) => photos.exists(ctx, key),
        (ctx: Context) => photos.signedGet(ctx, key, "1m"),
        (ctx: Context) => photos.signedPut(ctx, key, "1m"),
      ])
        await expect(run<unknown>(work)).rejects.toMatchObject(refusal);
    }
  });

  test("signs for 1 second to 7 days, and refuses another lifetime with 400", async () => {
    const clock = new ManualClock();
    const { run, photos, platform } = await bucketApp({ clock });
    for (const lifetime of ["999ms", "8d", "0s", "-1m", "", "10", "1e3s", "604801s"])
      await expect(run((ctx) => photos.signedGet(ctx, "x", lifetime))).rejects.toMatchObject({
        status: 400,
        message: "a signed URL can be valid for 1 second to 7 days",
      });
    for (const [lifetime, ms] of [
      ["1s", 1000],
      ["1.5h", 5_400_000],
      ["7d", 604_800_000],
    ] as const) {
      const { url, headers } = await run((ctx) => photos.signedPut(ctx, "x", lifetime));
      expect(headers).toEqual({});
      const grant = await platform.objects.openGrant?.(url.slice("/_fw/api/signed/".length));
      expect(grant?.expires).toEqual(new Date(clock.now() + ms));
    }
  });

  test("calls a policy or a type that cannot be a fault of the program", async () => {
    const { run, photos } = await bucketApp();
    for (const policy of [
      { maxSize: -1 },
      { maxSize: 1.5 },
      { maxSize: Number.NaN },
      { contentType: "images" },
      { contentType: "*/*" },
    ])
      await expect(run((ctx) => photos.signedPut(ctx, "x", "1m", policy))).rejects.toMatchObject({ name: "Fault" });
    const odd = blob("x", { type: "text/plain\r\nX: y" });
    await expect(run((ctx) => photos.put(ctx, "x", odd))).rejects.toMatchObject({ name: "Fault" });
    const other = Bucket("photos");
    await expect(run((ctx) => other.get(ctx, "x"))).rejects.toThrow('"photos" is not part of this application');
    const { host } = createApplication(bundleOf(apis({})), { settings: settings.test });
    const ctx = { [HOST]: host } as unknown as Context;
    await expect(photos.get(ctx, "x")).rejects.toMatchObject({ name: "Fault" });
  });

  test("a policy signs its limits and nothing else that its object holds", async () => {
    const { run, photos, platform } = await bucketApp();
    const policy = { maxSize: 5, contentType: undefined, key: "other", method: "GET", bucket: "b" } as unknown as {
      maxSize: number;
    };
    const { url } = await run((ctx) => photos.signedPut(ctx, "x", "1m", policy));
    const grant = await platform.objects.openGrant?.(url.slice("/_fw/api/signed/".length));
    expect(grant).toEqual({ bucket: "photos", key: "x", method: "PUT", maxSize: 5, expires: expect.any(Date) as Date });
  });

  test("takes no part in a transaction: what is put inside stays although the transaction fails", async () => {
    const { run, photos } = await bucketApp();
    const failing = run((ctx) =>
      transaction(ctx, async (tx) => {
        await photos.put(tx, "x", blob("x", { type: "text/plain" }));
        throw new Error("undone");
      }),
    );
    await expect(failing).rejects.toThrow("undone");
    expect(await run((ctx) => photos.exists(ctx, "x"))).toBe(true);
  });
});

describe("an object that a handler returns", () => {
  const handlers = (bucket: ReturnType<typeof Bucket>) => ({
    "GET /photo": (ctx: Context) => bucket.get(ctx, "x"),
    "HEAD /photo": (ctx: Context) => bucket.get(ctx, "x"),
  });

  async function serveObject(content = "0123456789") {
    const served = await bucketApp({ handlers });
    await served.run((ctx) => served.photos.put(ctx, "x", blob(content, { type: "text/plain" })));
    return served;
  }

  test("has its ETag, and a matching If-None-Match is answered 304", async () => {
    const { app } = await serveObject();
    const first = await request(app.port, "/photo");
    const etag = String(first.headers.get("etag"));
    expect([first.status, first.body, first.headers.get("content-type")]).toEqual([200, "0123456789", "text/plain"]);
    expect(etag).toMatch(/^"[\w-]+"$/);
    const again = await request(app.port, "/photo", { "If-None-Match": etag });
    expect([again.status, again.body]).toEqual([304, ""]);
  });

  test("is answered in part where a Range asks for it", async () => {
    const { app } = await serveObject();
    const part = await request(app.port, "/photo", { Range: "bytes=3-5" });
    expect([part.status, part.body, part.headers.get("content-range")]).toEqual([206, "345", "bytes 3-5/10"]);
    expect((await request(app.port, "/photo", { Range: "bytes=10-" })).status).toBe(416);
  });

  test("is whole although it is replaced while it is sent", async () => {
    const old = "old".repeat(1_000_000);
    const { app, run, photos } = await serveObject(old);
    const answer = await fetch(`${app.url}/photo`);
    await run((ctx) => photos.put(ctx, "x", blob("new", { type: "text/plain" })));
    expect(await answer.text()).toBe(old);
    expect(await (await fetch(`${app.url}/photo`)).text()).toBe("new");
  });

  test("leaves nothing open behind: after 304, HEAD, and clients that go away", async () => {
    // More than the buffers of two sockets can hold, so an unread response keeps its file open.
    const { app } = await serveObject("x".repeat(24 * 1024 * 1024));
    const open = (): number => openFiles("/objects/").length;
    const etag = String((await request(app.port, "/photo", {}, "HEAD")).headers.get("etag"));
    for (let i = 0; i < 5; i++) {
      await request(app.port, "/photo", {}, "HEAD");
      await request(app.port, "/photo", { "If-None-Match": etag });
      const socket = await beginReading(app.port, "/photo");
      expect(open()).toBe(1);
      socket.destroy();
      await until(() => open() === 0, "the file to be closed");
    }
  });
});

function chunks(...given: readonly (string | Error)[]): ReadableStream<Uint8Array> {
  const rest = [...given];
  return new ReadableStream({
    pull(controller) {
      const next = rest.shift();
      if (next instanceof Error) controller.error(next);
      else if (next === undefined) controller.close();
      else controller.enqueue(Buffer.from(next));
    },
  });
}
