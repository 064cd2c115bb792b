import { createHash, createHmac, randomBytes, type Hash, type Hmac } from "node:crypto";
import dns from "node:dns";
import type { IncomingMessage } from "node:http";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SignatureV4 } from "@smithy/signature-v4";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { failure } from "../../../testing/conformance/fixture.ts";
import { streamOf } from "../../../testing/conformance/objects.ts";
import { bytesInS3 } from "./bytes.ts";
import { partBytes } from "./bytes.ts";

/** SHA-256 in the form that the SDK's signer expects. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(key?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = key === undefined ? createHash("sha256") : createHmac("sha256", key as string);
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

const [accessKeyId, secretAccessKey] = ["S3RVER", "S3RVER"];
const credentials = { accessKeyId, secretAccessKey };
const signerOptions = { service: "s3", region: "us-east-1", uriEscapePath: false, applyChecksum: false };
const signer = new SignatureV4({ ...signerOptions, credentials, sha256: Sha256 });

/** True if the signer of AWS's SDK computes the same signature for a request. */
async function isSigned({ method = "", url = "", headers }: IncomingMessage): Promise<boolean> {
  const { authorization = "" } = headers;
  const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? [];
  const { pathname, searchParams, hostname, port } = new URL(url, `http://${headers.host}`);
  const date = String(headers["x-amz-date"]).replace(/^(....)(..)(..T..)(..)(..Z)$/, "$1-$2-$3:$4:$5");
  const signed = await signer.sign(
    {
      method,
      protocol: "http:",
      hostname,
      port: Number(port),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
    },
    { signingDate: new Date(date) },
  );
  return signed.headers["authorization"] === authorization;
}

/** The part of `s3rver` that the test uses; the package has no types. */
interface IndependentStore {
  readonly middleware: ((context: StoreContext, next: () => Promise<void>) => Promise<void>)[];
  run(): Promise<{ readonly port: number }>;
  close(): Promise<void>;
}

interface StoreContext {
  readonly method: string;
  readonly query: Readonly<Record<string, string>>;
  readonly req: IncomingMessage;
  status: number;
  type: string;
  body: string;
}

const host = "s3.store.test";
const environment = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
const directory = mkdtempSync(join(tmpdir(), "fw-s3rver-"));
const lookup = vi.spyOn(dns, "lookup");
let store: IndependentStore;
let port: number;

beforeAll(async () => {
  // In a variable, because the package has no types.
  const name = "s3rver";
  const { default: Store } = (await import(name)) as { readonly default: new (options: object) => IndependentStore };
  store = new Store({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory,
    serviceEndpoint: "store.test",
    configureBuckets: [{ name: "objects" }],
  });
  store.middleware.unshift(async (context, next) => {
    if (!(await isSigned(context.req))) {
      // The store itself does not check signatures.
      context.status = 403;
      context.body = "<Error><Code>SignatureDoesNotMatch</Code></Error>";
    } else if (context.method === "GET" && context.query["uploads"] !== undefined) {
      // The store cannot list unfinished uploads either, which fw does at startup and when it removes a file.
      context.body = "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>";
    } else return next();
    context.type = "application/xml";
  });
  ({ port } = await store.run());
  // Resolves host names that contain a bucket to the store, as a wildcard DNS record would.
  lookup.mockImplementation(((_name: string, options: dns.LookupOptions, answer: (...args: unknown[]) => void) =>
    options.all ? answer(null, [{ address: "127.0.0.1", family: 4 }]) : answer(null, "127.0.0.1", 4)) as never);
});
afterAll(async () => {
  lookup.mockRestore();
  await store.close();
  rmSync(directory, { recursive: true });
});

const open = (style: string, env = environment) =>
  bytesInS3(`s3://objects/${style}?endpoint=http://${host}:${port}&region=us-east-1&style=${style}`, env, {
    retryMs: 10_000,
    pauseMs: 1,
  });

test.each(["path", "host"])(
  "an independent store keeps what fw writes and signs, whole and in parts, with the bucket in the %s",
  async (style) => {
    const bytes = await open(style);
    for (const size of [0, 1, partBytes, 2 * partBytes + 5]) {
      const body = randomBytes(size);
      const file = `some-${size}.bin`;
      const content = await bytes.write(file, streamOf(body), Infinity, new AbortController().signal);
      const facts = { key: "k", contentType: "text/plain", updated: new Date(0), ...content };
      const read = async (start: number, end: number): Promise<Buffer> =>
        Buffer.from(await new Response(bytes.read({ file, facts }, start, end)).arrayBuffer());
      expect((await read(0, size)).equals(body)).toBe(true);
      if (size > 0) expect((await read(size - 1, size)).equals(body.subarray(size - 1))).toBe(true);
      await bytes.remove(file);
      await bytes.remove(file);
    }
    const files = readdirSync(join(directory, "objects", style), { recursive: true }).map(String);
    expect(files.filter((file) => !file.includes("fw-objects"))).toEqual([]);
  },
);

test.each([
  ["secret", { ...environment, AWS_SECRET_ACCESS_KEY: "other" }],
  ["key", { ...environment, AWS_ACCESS_KEY_ID: "other" }],
])("the signer of AWS's SDK makes another signature with another %s, and the start fails", async (_, env) => {
  expect(await failure(() => open("path", env))).toBe("data");
  await expect(open("path", env)).rejects.toThrow("SignatureDoesNotMatch");
});
