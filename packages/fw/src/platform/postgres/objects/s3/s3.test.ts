import { randomBytes } from "node:crypto";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { Random } from "../../../../../../fake-cloud/src/random.ts";
import { startFakeS3, type FakeS3, type S3Fault } from "../../../../../../fake-cloud/src/s3/s3.ts";
import { tries } from "../../../../lib/testing/tries.ts";
import type { Platform } from "../../../contract.ts";
import { failure, ManualClock } from "../../../testing/conformance/fixture.ts";
import { objectTests, streamOf } from "../../../testing/conformance/objects.ts";
import { emptyPlatform } from "../../testing/platform.ts";
import { hasPostgres, startServer, type TestServer } from "../../testing/server.ts";
import type { ObjectBytes } from "../bytes.ts";
import { readS3Address } from "./address.ts";
import { bytesInS3 } from "./bytes.ts";
import type { S3ClientOptions } from "./client.ts";
import { partBytes } from "./bytes.ts";

let store: FakeS3;
beforeAll(async () => void (store = await startFakeS3()));
afterAll(() => store.stop());
afterEach(() => store.faults.clear());

let prefixes = 0;

function environment(): Record<string, string> {
  const { accessKeyId, secretAccessKey } = store.keys;
  return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
}

/** Opens an empty prefix in the bucket. */
function open(options: S3ClientOptions = { retryMs: 10_000, pauseMs: 1 }): Promise<ObjectBytes> {
  const address = `s3://objects/test-${++prefixes}?endpoint=${store.url}&region=${store.keys.region}`;
  return bytesInS3(address, environment(), options);
}

const { signal } = new AbortController();

/** Writes bytes under a name and returns a function that reads them. */
async function write(bytes: ObjectBytes, file: string, body: Buffer) {
  const { size, etag } = await bytes.write(file, streamOf(...pieces(body)), Infinity, signal);
  const facts = { key: "k", contentType: "text/plain", updated: new Date(0), size, etag };
  return async (start = 0, end = size): Promise<Buffer> =>
    Buffer.from(await new Response(bytes.read({ file, facts }, start, end)).arrayBuffer());
}

function pieces(body: Buffer): readonly Buffer[] {
  const size = 1024 * 1024;
  return Array.from({ length: Math.ceil(body.byteLength / size) }, (_, i) => body.subarray(i * size, (i + 1) * size));
}

/** Returns the bucket's keys with the latest prefix, except fw's own file. */
function keys(): readonly string[] {
  const prefix = `test-${prefixes}/`;
  return [...store.bucket("objects").objects.keys()].filter(
    (key) => key.startsWith(prefix) && !key.endsWith("fw-objects"),
  );
}

describe("the bytes of objects in S3", () => {
  test("a long body is sent in parts, and read back whole and in parts", async () => {
    const bytes = await open();
    const body = randomBytes(2 * partBytes + 5);
    const read = await write(bytes, "long", body);
    expect((await read()).equals(body)).toBe(true);
    expect((await read(partBytes - 2, partBytes + 3)).equals(body.subarray(partBytes - 2, partBytes + 3))).toBe(true);
    expect(store.calls.slice(-8)).toContain("CompleteMultipartUpload");
    await bytes.remove("long");
    await bytes.remove("long");
    expect(keys()).toEqual([]);
  });

  test.each<readonly [S3Fault, string]>([
    ["503", "CompleteMultipartUpload"],
    ["500 after effect", "CompleteMultipartUpload"],
    ["reset after effect", "CompleteMultipartUpload"],
    ["200 with error", "CompleteMultipartUpload"],
    ["strange page", "CompleteMultipartUpload"],
    ["strange page", "CreateMultipartUpload"],
    ["reset after effect", "CreateMultipartUpload"],
    ["strange page", "UploadPart"],
    ["reset before effect", "UploadPart"],
    ["500 after effect", "UploadPart"],
    ["cut off", "GetObject"],
    ["no range", "GetObject"],
    ["strange page", "GetObject"],
  ])("an upload and a download survive a %s of %s", async (fault, method) => {
    const bytes = await open();
    store.faults.add({ fault, method, times: 2 });
    const body = randomBytes(partBytes + 1);
    const read = await write(bytes, "file", body);
    expect((await read()).equals(body)).toBe(true);
    expect(store.faults.hits.get(fault)).toBeGreaterThanOrEqual(2);
  });

  test("a store that keeps fewer bytes than it received fails the write", async () => {
    const bytes = await open();
    store.faults.add({ fault: "stored short", method: "UploadPart" });
    await expect(write(bytes, "short", randomBytes(partBytes + 9))).rejects.toThrow(/bytes of an object/);
  });

  test("other bytes than those that were written are never read to their end", async () => {
    const bytes = await open();
    const read = await write(bytes, "file", Buffer.from("what was written"));
    store.faults.add({ fault: "other byte", method: "GetObject" });
    await expect(read()).rejects.toThrow("different bytes than were written");
    await expect(new Response(bytes.read(strangeFile(), 0, 3)).text()).rejects.toThrow("NoSuchKey");
  });

  function strangeFile() {
    return { file: "none", facts: { key: "k", contentType: "", updated: new Date(0), size: 3, etag: "e" } };
  }

  test("a failed upload leaves neither bytes nor parts", async () => {
    const bytes = await open();
    const body = [...pieces(randomBytes(partBytes + 9)), new Error("the reader broke")];
    await expect(bytes.write("broken", streamOf(...body), Infinity, signal)).rejects.toThrow("the reader broke");
    const uploads = (): number =>
      [...store.bucket("objects").uploads.values()].filter(({ key }) => key.endsWith("broken")).length;
    await expect.poll(uploads).toBe(0);
    expect(keys()).toEqual([]);
  });

  test("removing a file aborts uploads of it that nobody finishes", async () => {
    const bytes = await open();
    const bucket = store.bucket("objects");
    for (let count = 0; count < 3; count++) bucket.begin(`test-${prefixes}/left`, "");
    const other = bucket.begin(`test-${prefixes}/left-by-another`, "");
    await bytes.remove("left");
    const left = [...bucket.uploads].filter(([, { key }]) => key.startsWith(`test-${prefixes}/`)).map(([id]) => id);
    expect(left).toEqual([other]);
  });

  test("a store that answers nobody fails as unreachable when the time is up", async () => {
    const bytes = await open({ retryMs: 50, pauseMs: 10 });
    store.faults.add({ fault: "503" });
    expect(await failure(() => bytes.write("x", streamOf("1"), Infinity, signal))).toBe("unreachable");
  });

  test.each<readonly [S3Fault, string]>([
    ["silent", "PutObject"],
    ["silent", "HeadObject"],
    ["silent", "GetObject"],
    ["stalled", "GetObject"],
  ])("fw asks a store again that is %s at a %s", async (fault, method) => {
    // On a busy machine, sending a part of 8 MB takes longer than 300 milliseconds.
    const attemptMs = method === "HeadObject" ? 1_500 : 300;
    const bytes = await open({ retryMs: 60_000, pauseMs: 1, attemptMs, silenceMs: attemptMs });
    const hitsBefore = store.faults.hits.get(fault) ?? 0;
    store.faults.add({ fault, method, times: 1 });
    const body = randomBytes(method === "HeadObject" ? partBytes + 1 : 1_000);
    const read = await write(bytes, "file", body);
    expect((await read()).equals(body)).toBe(true);
    expect((store.faults.hits.get(fault) ?? 0) - hitsBefore).toBe(1);
  });

  test.each([
    ["?region=eu-test-1", { AWS_ACCESS_KEY_ID: "" }, "need the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"],
    ["?region=eu-test-1", { AWS_SECRET_ACCESS_KEY: "x" }, "SignatureDoesNotMatch (403)"],
    ["?region=eu-test-2", {}, "AuthorizationHeaderMalformed"],
    ["-other?region=eu-test-1", {}, "NoSuchBucket"],
    ["?region=eu-test-1&endpint=x", {}, 'not "endpint"'],
    ["?region=eu-test-1&style=other", {}, '"style" must be path or host'],
  ])("the address s3://objects%s with %o is refused in a sentence", async (rest, own, sentence) => {
    const env = { ...environment(), AWS_ENDPOINT_URL_S3: store.url, ...own };
    await expect(bytesInS3(`s3://objects${rest}`, env)).rejects.toMatchObject({
      code: "data",
      message: expect.stringContaining(sentence) as unknown,
    });
  });
});

describe("the address of a bucket", () => {
  const env = { AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: "key" };

  test.each([
    ["s3://photos?region=eu-central-1", "https://photos.s3.eu-central-1.amazonaws.com/"],
    ["s3://photos.example.com", "https://s3.us-east-1.amazonaws.com/photos.example.com/"],
    [
      "s3://photos?region=auto&endpoint=https://id.r2.cloudflarestorage.com",
      "https://id.r2.cloudflarestorage.com/photos/",
    ],
    ["s3://photos?endpoint=http://minio:9000", "http://minio:9000/photos/"],
    ["s3://photos?endpoint=https://ceph.internal&style=host", "https://photos.ceph.internal/"],
  ])("%s is %s", (address, url) => {
    expect(readS3Address(address, env)).toMatchObject({ url, prefix: "" });
  });

  test("its region, endpoint and session come from the variables of AWS's tools if it does not have them", () => {
    const own = { ...env, AWS_REGION: "eu-1", AWS_ENDPOINT_URL: "https://s3.test", AWS_SESSION_TOKEN: "token" };
    expect(readS3Address("s3://photos/notes/2", own)).toMatchObject({
      url: "https://s3.test/photos/",
      prefix: "notes/2/",
      region: "eu-1",
      credentials: { accessKeyId: "id", secretAccessKey: "key", sessionToken: "token" },
    });
  });

  test.each([
    "s3:",
    "s3://a",
    "s3://id:key@photos",
    "s3://photos/.../x",
    "s3://photos/a%20b",
    "s3://photos?endpoint=minio",
  ])("%s is none", (address) => expect(() => readS3Address(address, env)).toThrow(/bucket|keys|prefix|endpoint/));
});

describe("objects on PostgreSQL and S3", { skip: !hasPostgres() }, () => {
  let server: TestServer;
  beforeAll(async () => void (server = await startServer()));
  afterAll(() => server.stop());

  objectTests(async (definitions, clock) => emptyPlatform(server, definitions, clock, await open()));

  async function platformWith(clock?: ManualClock): Promise<Platform> {
    const empty = await emptyPlatform(server, { kinds: [], buckets: ["photos"] }, clock, await open());
    onTestFinished(async () => {
      await empty.platform.close();
      await empty.dispose();
    });
    return empty.platform;
  }

  test("an upload that takes longer than a day is no object, because its bytes may be deleted", async () => {
    const clock = new ManualClock();
    const { objects } = await platformWith(clock);
    const late = new ReadableStream<Uint8Array>({
      pull(controller) {
        clock.advance(24 * 3_600_000);
        controller.enqueue(Buffer.from("late"));
        controller.close();
      },
    });
    await expect(objects.put("photos", "x", late, { contentType: "text/plain" })).rejects.toThrow("longer than a day");
    expect(await objects.find("photos", "x")).toBeUndefined();
  });

  test("whatever the store does, a write is whole or nothing, and none that succeeded is lost", async () => {
    const { objects } = await platformWith();
    const random = new Random(Number(process.env["FW_SEED"] ?? 7));
    for (const fault of faults) store.faults.add({ fault, probability: 0.04 });
    const model = new Map<string, string>();
    let failed = 0;
    for (let step = 0; step < tries(150); step++) {
      const key = `k${Math.floor(random.next() * 5)}`;
      const content = `${step} `.repeat(1 + Math.floor(random.next() * 2_000));
      if (random.chance(0.15)) {
        await objects.delete("photos", key);
        model.delete(key);
      } else if (random.chance(0.6)) {
        const half = content.length >> 1;
        try {
          await objects.put("photos", key, streamOf(content.slice(0, half), content.slice(half)), {
            contentType: "text/plain",
          });
          model.set(key, content);
        } catch (error) {
          failed += 1;
          expect(error).toMatchObject({ code: "unreachable" });
        }
      }
      const object = await objects.open("photos", key);
      expect(object?.size).toBe(model.get(key)?.length);
      if (object === undefined) continue;
      const text = await new Response(object.stream()).text().catch((error: unknown) => error);
      // A read may fail, but never ends with wrong bytes.
      if (typeof text === "string") expect(text === model.get(key)).toBe(true);
    }
    store.faults.clear();
    for (const [key, content] of model)
      expect(await new Response((await objects.open("photos", key))?.stream()).text()).toBe(content);
    expect((await objects.list("photos", "", { limit: 10 })).objects.map(({ key }) => key)).toEqual(
      [...model.keys()].toSorted(),
    );
    expect(failed).toBeLessThan(tries(150) / 10);
    expect(store.faults.hits.size).toBeGreaterThan(5);
  });

  const faults: readonly S3Fault[] = [
    "503",
    "500 after effect",
    "reset before effect",
    "reset after effect",
    "strange page",
    "cut off",
    "other byte",
    "no range",
  ];
});
