import { setImmediate as immediate } from "node:timers/promises";
import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { tries } from "../../../lib/testing/tries.ts";
import type { Definitions } from "../../contract.ts";
import type { ObjectFacts, Objects } from "../../objects.ts";
import { failure, fixture, ManualClock } from "./fixture.ts";
import type { OpenPlatform } from "./fixture.ts";

const definitions: Definitions = { kinds: [], buckets: ["photos", "other"] };
const text = { contentType: "text/plain" };

export function objectTests(open: OpenPlatform): void {
  const objectsOf = async (clock?: ManualClock): Promise<Objects> => (await fixture(open, clock, definitions)).objects;

  test("an object that was put is read back with its size, type and ETag, and one that was not is undefined", async () => {
    const clock = new ManualClock();
    const objects = await objectsOf(clock);
    const facts = await objects.put("photos", "a/b.txt", streamOf("hello ", "world"), text);
    expect(facts).toMatchObject({ key: "a/b.txt", size: 11, contentType: "text/plain" });
    expect(facts.etag).toMatch(/^[\w-]{16,}$/);
    expect(await objects.find("photos", "a/b.txt")).toEqual(facts);
    expect(await contentOf(objects, "a/b.txt")).toBe("hello world");
    expect(await objects.find("photos", "a/b")).toBeUndefined();
    expect(await objects.open("photos", "A/b.txt")).toBeUndefined();
    expect(await objects.open("other", "a/b.txt")).toBeUndefined();
  });

  test("an empty object is one", async () => {
    const objects = await objectsOf();
    expect((await objects.put("photos", "empty", streamOf(), text)).size).toBe(0);
    expect(await contentOf(objects, "empty")).toBe("");
  });

  test("the ETag changes with the content and only with it", async () => {
    const objects = await objectsOf();
    const etags: string[] = [];
    for (const [key, content] of [
      ["x", "1"],
      ["x", "1"],
      ["y", "1"],
      ["x", "2"],
      ["x", "1"],
    ] as const)
      etags.push((await objects.put("photos", key, streamOf(content), text)).etag);
    expect(new Set([etags[0], etags[1], etags[2], etags[4]]).size).toBe(1);
    expect(etags[3]).not.toBe(etags[0]);
  });

  test("a part of an object is read without the rest", async () => {
    const objects = await objectsOf();
    await objects.put("photos", "digits", streamOf("01234", "56789"), text);
    const openedObject = await objects.open("photos", "digits");
    const part = async (start: number, end: number): Promise<string> =>
      textOf((await objects.open("photos", "digits"))?.stream({ start, end }));
    expect([await part(0, 4), await part(3, 7), await part(9, 10), await part(4, 4)]).toEqual([
      "0123",
      "3456",
      "9",
      "",
    ]);
    expect(await textOf(openedObject?.stream())).toBe("0123456789");
  });

  test("a reader that has opened an object reads it to its end although it is replaced or deleted", async () => {
    const objects = await objectsOf();
    const old = "old".repeat(100_000);
    await objects.put("photos", "x", streamOf(old), text);
    const first = await objects.open("photos", "x");
    const reader = first?.stream().getReader();
    const head = await reader?.read();
    await objects.put("photos", "x", streamOf("new"), text);
    await objects.delete("photos", "x");
    let rest = Buffer.from(head?.value ?? []).toString();
    for (let next = await reader?.read(); next?.value; next = await reader?.read())
      rest += Buffer.from(next.value).toString();
    expect(rest).toBe(old);
    expect(await textOf(first?.stream())).toBe(old);
    expect(await objects.open("photos", "x")).toBeUndefined();
  });

  test("a deleted object is gone, and deleting what is not there does nothing", async () => {
    const objects = await objectsOf();
    await objects.put("photos", "x", streamOf("1"), text);
    await objects.delete("photos", "x");
    await objects.delete("photos", "x");
    expect(await objects.find("photos", "x")).toBeUndefined();
    expect((await objects.list("photos", "", { limit: 10 })).objects).toEqual([]);
  });

  test("a body that fails leaves what was there before", async () => {
    const objects = await objectsOf();
    await objects.put("photos", "x", streamOf("before"), text);
    const failing = streamOf("half of it", new Error("the reader broke"));
    await expect(objects.put("photos", "x", failing, text)).rejects.toThrow("the reader broke");
    expect(await contentOf(objects, "x")).toBe("before");
    await expect(objects.put("photos", "y", streamOf(new Error("at once")), text)).rejects.toThrow("at once");
    expect(await objects.find("photos", "y")).toBeUndefined();
  });

  test("a write that is aborted leaves nothing and lets go of its body", async () => {
    const objects = await objectsOf();
    const abort = new AbortController();
    let cancelled: unknown;
    const endless = new ReadableStream<Uint8Array>(
      { pull: (c) => c.enqueue(Buffer.from("more")), cancel: (reason) => void (cancelled = reason) },
      { highWaterMark: 0 },
    );
    const putting = objects.put("photos", "x", endless, { ...text, signal: abort.signal });
    abort.abort(new Error("enough"));
    await expect(putting).rejects.toThrow("enough");
    expect(cancelled).toEqual(new Error("enough"));
    const waiting = new ReadableStream<Uint8Array>();
    const never = new AbortController();
    const stuck = objects.put("photos", "x", waiting, { ...text, signal: never.signal });
    never.abort(new Error("gone"));
    await expect(stuck).rejects.toThrow("gone");
    expect(await objects.find("photos", "x")).toBeUndefined();
  });

  test("a body that is larger than it may be fails as soon as that is certain, and leaves nothing", async () => {
    const objects = await objectsOf();
    const abort = new AbortController();
    onTestFinished(() => abort.abort());
    const put = (size: number, body: ReadableStream<Uint8Array>): Promise<unknown> =>
      objects.put("photos", "x", body, { ...text, maxSize: size, signal: abort.signal });
    const endless = new ReadableStream<Uint8Array>({ pull: (c) => c.enqueue(new Uint8Array(1000)) });
    expect(await failure(() => put(10_000, endless))).toBe("too-large");
    expect(await failure(() => put(0, streamOf("1")))).toBe("too-large");
    expect(await objects.find("photos", "x")).toBeUndefined();
    await put(2, streamOf("1", "2"));
    await put(0, streamOf());
  });

  test("parallel writes of one key end with one whole object", async () => {
    const objects = await objectsOf();
    const contents = Array.from({ length: 16 }, (_, i) => String(i).repeat(70_000));
    const writes = await Promise.all(
      contents.map((content) =>
        objects.put("photos", "x", streamOf(content.slice(0, 35_000), content.slice(35_000)), text),
      ),
    );
    const read = await contentOf(objects, "x");
    expect(contents).toContain(read);
    expect((await objects.find("photos", "x"))?.etag).toBe(writes[contents.indexOf(read)]?.etag);
    expect((await objects.list("photos", "", { limit: 10 })).objects).toHaveLength(1);
  });

  test("readers among writers read one whole object each, or none", async () => {
    const objects = await objectsOf();
    const contents = new Map<string, string>();
    const writes = new AbortController();
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; n < 12; n++) {
        const content = `${writer}.${n};`.repeat(5_000);
        const { etag } = await objects.put(
          "photos",
          "x",
          streamOf(content.slice(0, 9_999), content.slice(9_999)),
          text,
        );
        contents.set(etag, content);
        if (n % 4 === writer) await objects.delete("photos", "x");
      }
    };
    const read = async (): Promise<[string, string][]> => {
      const entries: [string, string][] = [];
      while (!writes.signal.aborted) {
        const object = await objects.open("photos", "x");
        if (object !== undefined) entries.push([object.etag, await textOf(object.stream())]);
        else await immediate();
      }
      return entries;
    };
    const readers = Promise.all([read(), read()]);
    await Promise.all([0, 1, 2, 3].map(write));
    writes.abort();
    const entries = (await readers).flat();
    expect(entries.length).toBeGreaterThan(10);
    for (const [etag, content] of entries) expect(content === contents.get(etag)).toBe(true);
  });

  test("a list is in the order of the keys' bytes and has those with the prefix, page by page", async () => {
    const objects = await objectsOf();
    const keys = ["a", "a/1", "a/10", "a/2", "a\u{10ffff}", "a/é", "a/\u{ffff}", "a/😀", "B", "b", "%2e", "a/\u{e000}"];
    await Promise.all(keys.map((key) => objects.put("photos", key, streamOf(key), text)));
    await objects.put("other", "a/elsewhere", streamOf(""), text);
    const sorted = keys.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    for (const prefix of ["", "a", "a/", "a/1", "b", "z", "a/\u{10ffff}", "\0"])
      for (const limit of [1, 2, 5, 1000])
        expect(await keysBelow(objects, prefix, limit)).toEqual(sorted.filter((key) => key.startsWith(prefix)));
    const { objects: first } = await objects.list("photos", "a/1", { limit: 1 });
    expect(first[0]).toEqual(await objects.find("photos", "a/1"));
    expect((await objects.list("photos", "b", { limit: 5, after: "a" })).objects.map(({ key }) => key)).toEqual(["b"]);
    for (const limit of [0, 1001, 1.5])
      expect(await failure(() => objects.list("photos", "", { limit }))).toBe("query");
  });

  test("a page begins after the key that ended the one before, whatever came or went", async () => {
    const objects = await objectsOf();
    for (const key of ["a", "b", "c", "d"]) await objects.put("photos", key, streamOf(key), text);
    const first = await objects.list("photos", "", { limit: 2 });
    await objects.delete("photos", "b");
    await objects.put("photos", "aa", streamOf("late"), text);
    const second = await objects.list("photos", "", { limit: 2, after: String(first.next) });
    expect(second.objects.map(({ key }) => key)).toEqual(["c", "d"]);
    expect(second.next).toBeUndefined();
  });

  test("any legal key is kept apart from every other", async () => {
    const objects = await objectsOf();
    const expectedContents = new Map<string, string>();
    const put = async (key: string, content: string): Promise<void> => {
      await objects.put("photos", key, streamOf(content), text);
      expectedContents.set(key, content);
      expect(await contentOf(objects, key)).toBe(content);
    };
    for (const key of hardKeys) await put(key, `the object ${key}`);
    await fc.assert(fc.asyncProperty(legalKey, fc.string(), put), { numRuns: tries(30) });
    for (const [key, content] of expectedContents) expect(await contentOf(objects, key)).toBe(content);
    expect(new Set(await keysBelow(objects, "", 1000))).toEqual(new Set(expectedContents.keys()));
  });

  test("an illegal key and a bucket that is not defined are refused by every operation", async () => {
    const objects = await objectsOf();
    const illegal = [
      "",
      ".",
      "..",
      "a\0",
      "a\nb",
      "a\rb",
      "\u007f",
      "\u0085",
      "\ud800",
      "x".repeat(1025),
      "é".repeat(513),
    ];
    const places = [...illegal, ".well-known/acme-challenge/x"].map((key) => ["photos", key] as const);
    for (const [bucket, key] of [...places, ["nowhere", "x"] as const]) {
      expect(await failure(() => objects.put(bucket, key, streamOf("x"), text))).toBe("key");
      expect(await failure(() => objects.open(bucket, key))).toBe("key");
      expect(await failure(() => objects.find(bucket, key))).toBe("key");
      expect(await failure(() => objects.delete(bucket, key))).toBe("key");
      const grant = { bucket, key, method: "GET", expires: new Date(Date.now() + 1000) } as const;
      expect(await failure(() => objects.sign(grant))).toBe("key");
    }
    expect(await failure(() => objects.list("nowhere", "", { limit: 1 }))).toBe("key");
    expect(await keysBelow(objects, "", 1000)).toEqual([]);
  });

  test("a signed URL that the platform answers itself says what it allows, and no other text does", async () => {
    const objects = await objectsOf();
    const grant = { bucket: "photos", key: "x", method: "PUT", expires: new Date(Date.now() + 60_000) } as const;
    if (objects.openGrant === undefined) return;
    const { url } = await objects.sign({ ...grant, maxSize: 5, contentType: "image/*" });
    for (const token of ["", "x", "a.b", `${url}x`]) expect(await objects.openGrant(token)).toBeUndefined();
    const openedObject = await objects.openGrant(url.slice(url.lastIndexOf("/") + 1));
    expect(openedObject).toEqual({ ...grant, maxSize: 5, contentType: "image/*" });
  });

  test("what is no content type is refused", async () => {
    const objects = await objectsOf();
    for (const contentType of ["", "text", "text/plain\r\nX: y", "text/plain; é", `text/${"x".repeat(251)}`, "image/*"])
      expect(await failure(() => objects.put("photos", "x", streamOf("x"), { contentType }))).toBe("content-type");
    await objects.put("photos", "x", streamOf("x"), { contentType: 'video/mp4; codecs="avc1, mp4a"' });
    expect((await objects.find("photos", "x"))?.contentType).toBe('video/mp4; codecs="avc1, mp4a"');
  });

  test("a signed upload names the headers that it must carry", async () => {
    const objects = await objectsOf();
    const grant = { bucket: "photos", key: "x", method: "PUT", expires: new Date(Date.now() + 60_000) } as const;
    const headers = async (policy: { maxSize?: number; contentType?: string }): Promise<unknown> =>
      (await objects.sign({ ...grant, ...policy })).headers;
    expect(await headers({})).toEqual({});
    expect(await headers({ maxSize: 5 })).toEqual({ "x-goog-content-length-range": "0,5" });
    expect(await headers({ contentType: "image/png" })).toEqual({ "Content-Type": "image/png" });
    expect(await headers({ contentType: "image/png", maxSize: 5 })).toEqual({
      "x-goog-content-length-range": "0,5",
      "Content-Type": "image/png",
    });
  });

  test("a signed upload of any type of a kind is held to it, or refused where nothing could hold it to it", async () => {
    const objects = await objectsOf();
    const expires = new Date(Date.now() + 60_000);
    const grant = { bucket: "photos", key: "x", method: "PUT", expires, contentType: "image/*" } as const;
    if (objects.openGrant !== undefined) expect((await objects.sign(grant)).headers).toEqual({});
    else expect(await failure(() => objects.sign(grant))).toBe("content-type");
  });

  test("every write of an object reaches the bucket's consumers, and no failed write does", async () => {
    const delivery = { maxAttempts: 5, minBackoff: 1, maxBackoff: 1, deadline: 10_000, concurrency: 1 };
    const destination = { kind: "event", name: "bucket.uploaded:photos" } as const;
    const consumers = [{ id: "web-index", destination, delivery }];
    const { objects, dispatcher } = await fixture(open, undefined, { ...definitions, consumers });
    const messages: unknown[] = [];
    const delivering = dispatcher?.deliver(
      async ({ consumer, body }) => void messages.push([consumer, JSON.parse(body)]),
    );
    const facts = await objects.put("photos", "x", streamOf("1"), text);
    await expect(objects.put("photos", "y", streamOf(new Error("broke")), text)).rejects.toThrow("broke");
    await objects.put("other", "x", streamOf("1"), text);
    await objects.put("photos", "x", streamOf("22"), text);
    await objects.delete("photos", "x");
    await dispatcher?.idle();
    await delivering?.stop();
    expect(messages).toEqual([
      ["web-index", { key: "x", size: 1, contentType: "text/plain", updated: facts.updated.toJSON() }],
      ["web-index", expect.objectContaining({ key: "x", size: 2 })],
    ]);
  });

  test("a closed platform refuses", async () => {
    const platform = await fixture(open, undefined, definitions);
    const stuck = failure(() => platform.objects.put("photos", "x", new ReadableStream(), text));
    await platform.close();
    expect(await stuck).toBe("closed");
    expect(await failure(() => platform.objects.find("photos", "x"))).toBe("closed");
    expect(await failure(() => platform.objects.put("photos", "x", streamOf("x"), text))).toBe("closed");
    expect(await failure(() => platform.objects.list("photos", "", { limit: 1 }))).toBe("closed");
  });
}

const hardKeys = [
  "../..",
  "../../etc/passwd",
  "/",
  "//",
  "/etc/passwd",
  "a/",
  "a",
  "a//b",
  "A",
  "%2e",
  "%2e%2e%2f",
  "...",
  "./x",
  "a/../b",
  "C:\\x",
  "\\\\host\\share",
  "CON",
  "é",
  "e\u0301",
  "\u202e",
  "\ufeff",
  "😀",
  "a b",
  " ",
  "'; DROP TABLE objects; --",
  "%",
  "_",
  "*?[]#",
  "__proto__",
  "x".repeat(1024),
  "é".repeat(512),
];

const legalKey: fc.Arbitrary<string> = fc
  .oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }),
    fc.string({
      unit: fc.constantFrom("a", "A", ".", "/", "\\", "%", "2", "e", "é", "\u0301"),
      minLength: 1,
      maxLength: 12,
    }),
  )
  .filter((key) => key !== "." && key !== ".." && !/\p{Cc}/u.test(key));

/** Returns a stream of these chunks; an error ends it. */
export function streamOf(...chunks: readonly (string | Uint8Array | Error)[]): ReadableStream<Uint8Array> {
  const rest = [...chunks];
  return new ReadableStream(
    {
      pull(controller) {
        const next = rest.shift();
        if (next === undefined) controller.close();
        else if (next instanceof Error) controller.error(next);
        else controller.enqueue(Buffer.from(next));
      },
    },
    { highWaterMark: 0 },
  );
}

export async function textOf(stream: ReadableStream<Uint8Array> | undefined): Promise<string> {
  return stream === undefined ? "" : new Response(stream).text();
}

export async function contentOf(objects: Objects, key: string): Promise<string> {
  return textOf((await objects.open("photos", key))?.stream());
}

/** Lists keys page by page. */
async function keysBelow(objects: Objects, prefix: string, limit: number): Promise<string[]> {
  const all: ObjectFacts[] = [];
  for (let after: string | undefined; ;) {
    const page = await objects.list("photos", prefix, { limit, ...(after !== undefined && { after }) });
    expect(page.objects.length).toBeLessThanOrEqual(limit);
    all.push(...page.objects);
    if (page.next === undefined) return all.map(({ key }) => key);
    after = page.next;
  }
}
