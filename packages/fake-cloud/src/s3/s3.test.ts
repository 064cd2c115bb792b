import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startFakeS3, type FakeS3 } from "./s3.ts";
import { signatureOf } from "./signature.ts";

/** The parts of the AWS SDK that these tests use, because an import of a computed name has no types. */
interface Sdk {
  readonly S3Client: new (options: object) => { send(command: object): Promise<Answer> };
}

/** A class of the SDK, such as PutObjectCommand. */
type Command = new (input: object) => object;

interface Answer {
  readonly ETag?: string;
  readonly ContentLength?: number;
  readonly ContentRange?: string;
  readonly UploadId?: string;
  readonly Uploads?: readonly { readonly UploadId: string; readonly Key: string }[];
  readonly Body?: { transformToString(): Promise<string> };
}

describe("signatures", () => {
  const keys = {
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    region: "us-east-1",
    date: "20130524",
  };
  const empty = createHash("sha256").digest("hex");
  const common = {
    host: "examplebucket.s3.amazonaws.com",
    "x-amz-date": "20130524T000000Z",
    "x-amz-content-sha256": empty,
  };
  const names = ["host", "x-amz-content-sha256", "x-amz-date"];

  test.each([
    [
      "GET /test.txt",
      { range: "bytes=0-9" },
      ["host", "range", "x-amz-content-sha256", "x-amz-date"],
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ],
    [
      "PUT /test%24file.text",
      {
        date: "Fri, 24 May 2013 00:00:00 GMT",
        "x-amz-storage-class": "REDUCED_REDUNDANCY",
        "x-amz-content-sha256": createHash("sha256").update("Welcome to Amazon S3.").digest("hex"),
      },
      ["date", ...names, "x-amz-storage-class"],
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ],
    ["GET /?lifecycle", {}, names, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"],
    ["GET /?max-keys=2&prefix=J", {}, names, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"],
  ])("of AWS's own example %s are computed as AWS does", (request, headers, signed, expected) => {
    const [method = "", target = ""] = request.split(" ");
    expect(signatureOf({ method, target, headers: { ...common, ...headers } }, signed, keys)).toBe(expected);
  });
});

describe("the AWS SDK", () => {
  let sdk: Sdk;
  let commandOf: (name: `${string}Command`) => Command;
  let store: FakeS3;
  beforeAll(async () => {
    const name = "@aws-sdk/client-s3";
    const module: unknown = await import(name);
    sdk = module as Sdk;
    commandOf = (command) => (module as Record<string, Command>)[command] as Command;
    store = await startFakeS3({ keys: { sessionToken: "token" } });
  });
  afterAll(() => store.stop());

  const bucket = { Bucket: "objects" };

  function clientWith(own: object = {}): (command: `${string}Command`, input: object) => Promise<Answer> {
    const { accessKeyId, secretAccessKey, sessionToken, region } = store.keys;
    const client = new sdk.S3Client({
      endpoint: store.url,
      forcePathStyle: true,
      region,
      credentials: { accessKeyId, secretAccessKey, sessionToken },
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
      maxAttempts: 1,
      ...own,
    });
    return (command, input) => client.send(new (commandOf(command))({ ...bucket, ...input }));
  }

  test("writes, reads, asks for a range of, and deletes an object", async () => {
    const call = clientWith();
    const Key = "a b/ü+'(1).txt";
    const { ETag } = await call("PutObjectCommand", { Key, Body: "0123456789", ContentType: "text/plain" });
    expect(ETag).toBe(`"${createHash("md5").update("0123456789").digest("hex")}"`);
    const part = await call("GetObjectCommand", { Key, Range: "bytes=2-4" });
    expect([await part.Body?.transformToString(), part.ContentRange]).toEqual(["234", "bytes 2-4/10"]);
    expect((await call("HeadObjectCommand", { Key })).ContentLength).toBe(10);
    await call("DeleteObjectCommand", { Key });
    await expect(call("GetObjectCommand", { Key })).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  test("uploads in parts, which are no object before the last request", async () => {
    const call = clientWith();
    const Key = "parts";
    const { UploadId } = await call("CreateMultipartUploadCommand", { Key });
    const sizes = [5 * 1024 * 1024, 3];
    const Parts = [];
    for (const [index, size] of sizes.entries()) {
      const input = { Key, UploadId, PartNumber: index + 1, Body: Buffer.alloc(size, index) };
      Parts.push({ PartNumber: index + 1, ETag: (await call("UploadPartCommand", input)).ETag });
    }
    await expect(call("HeadObjectCommand", { Key })).rejects.toMatchObject({ name: "NotFound" });
    const { Uploads } = await call("ListMultipartUploadsCommand", { Prefix: Key });
    expect(Uploads).toMatchObject([{ Key, UploadId }]);
    await call("CompleteMultipartUploadCommand", { Key, UploadId, MultipartUpload: { Parts } });
    expect((await call("HeadObjectCommand", { Key })).ContentLength).toBe(5 * 1024 * 1024 + 3);
    await expect(call("AbortMultipartUploadCommand", { Key, UploadId })).rejects.toMatchObject({
      name: "NoSuchUpload",
    });
  });

  test("cannot complete an upload of parts that are too small, out of order or others", async () => {
    const call = clientWith();
    const Key = "wrong";
    const { UploadId } = await call("CreateMultipartUploadCommand", { Key });
    const send = async (PartNumber: number): Promise<object> => {
      const { ETag } = await call("UploadPartCommand", { Key, UploadId, PartNumber, Body: `${PartNumber}` });
      return { PartNumber, ETag };
    };
    const [one, two] = [await send(1), await send(2)];
    const complete = (...Parts: object[]): Promise<unknown> =>
      call("CompleteMultipartUploadCommand", { Key, UploadId, MultipartUpload: { Parts } });
    await expect(complete(one, two)).rejects.toMatchObject({ name: "EntityTooSmall" });
    await expect(complete(two, one)).rejects.toMatchObject({ name: "InvalidPartOrder" });
    await expect(complete({ ...one, ETag: '"0"' })).rejects.toMatchObject({ name: "InvalidPart" });
  });

  test.each([
    [
      "another secret",
      { credentials: { accessKeyId: "AKIDFAKE", secretAccessKey: "?", sessionToken: "token" } },
      "SignatureDoesNotMatch",
    ],
    [
      "another key",
      { credentials: { accessKeyId: "OTHER", secretAccessKey: "?", sessionToken: "token" } },
      "InvalidAccessKeyId",
    ],
    [
      "no session token",
      { credentials: { accessKeyId: "AKIDFAKE", secretAccessKey: "secret/of+fake" } },
      "InvalidToken",
    ],
    ["another region", { region: "us-east-1", followRegionRedirects: false }, "AuthorizationHeaderMalformed"],
    ["a clock that is an hour off", { systemClockOffset: 3_600_000 }, "RequestTimeTooSkewed"],
  ])("is refused with %s", async (_, own, name) => {
    await expect(clientWith(own)("PutObjectCommand", { Key: "x", Body: "x" })).rejects.toMatchObject({ name });
    expect(store.bucket("objects").objects.has("x")).toBe(false);
  });
});
