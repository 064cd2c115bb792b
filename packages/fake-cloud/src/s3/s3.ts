import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { Faults } from "../faults.ts";
import { Random } from "../random.ts";
import { bytesOf, close, listen } from "../server.ts";
import { checkBody, errorXml, operationOf, type Operation, type S3Answer, type S3Request } from "./operations.ts";
import { signatureRefusal, type S3Keys } from "./signature.ts";
import { S3Bucket, S3Refusal } from "./store.ts";

/** A fault of a call. */
export type S3Fault =
  | "503"
  | "500 after effect"
  | "slow"
  /** No response. */
  | "silent"
  /** Half of the response, then nothing. */
  | "stalled"
  | "reset before effect"
  | "reset after effect"
  /** A status of 200 with the XML of an error and no effect, as when S3 fails to complete an upload. */
  | "200 with error"
  /** A proxy's page instead of S3's response. */
  | "strange page"
  /** A response whose last bytes are missing. */
  | "cut off"
  /** A response with one wrong byte. */
  | "other byte"
  /** The whole object instead of the range. */
  | "no range"
  /** Fewer bytes are stored than were sent, and the response does not say so. */
  | "stored short";

/** A running object store that speaks S3's protocol. */
export interface FakeS3 {
  /** The endpoint for `s3://bucket?endpoint=<url>`; the host name may begin with a bucket. */
  readonly url: string;
  readonly keys: S3Keys;
  readonly faults: Faults<S3Fault>;
  /** The requested operations, in order. */
  readonly calls: readonly string[];
  /** Returns the contents of a bucket; throws if it does not exist. */
  bucket(name: string): S3Bucket;
  stop(): Promise<void>;
}

export interface FakeS3Options {
  /** Defaults to one bucket, `objects`. */
  readonly buckets?: readonly string[];
  readonly keys?: Partial<S3Keys>;
  /** The seed of the faults; equal seeds give equal faults. */
  readonly seed?: number;
}

/** Starts a strict object store, which verifies every signature and hash and refuses requests that it does not know. */
export async function startFakeS3(options: FakeS3Options = {}): Promise<FakeS3> {
  const buckets = new Map((options.buckets ?? ["objects"]).map((name) => [name, new S3Bucket()]));
  const keys: S3Keys = {
    accessKeyId: "AKIDFAKE",
    secretAccessKey: "secret/of+fake",
    region: "eu-test-1",
    ...options.keys,
  };
  const faults = new Faults<S3Fault>(new Random(options.seed ?? 1));
  const calls: string[] = [];
  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = await read(incoming, [...buckets.keys()]);
    let fault: S3Fault | undefined;
    let answer: S3Answer;
    try {
      const refusal = signatureRefusal(request, keys, Date.now());
      if (refusal !== undefined) throw new S3Refusal(refusal.status, refusal.code, refusal.message);
      const bucket = buckets.get(request.bucket);
      if (bucket === undefined) throw new S3Refusal(404, "NoSuchBucket", "The specified bucket does not exist");
      const operation = operationOf(request);
      checkBody(request);
      calls.push(operation.name);
      const rule = faults.next(operation.name);
      fault = rule?.fault;
      if (fault === "slow") await setTimeout(rule?.milliseconds ?? 10);
      answer = ruined(operation, bucket, request, fault);
    } catch (error) {
      if (!(error instanceof S3Refusal)) throw error;
      const headers = { "content-type": "application/xml" };
      answer = { status: error.status, headers, body: errorXml(error.code, error.message) };
    }
    send(response, request, answer, fault);
  };
  const main = await listen(respond);
  return {
    url: `http://127.0.0.1:${main.port}`,
    keys,
    faults,
    calls,
    bucket: (name) => {
      const bucket = buckets.get(name);
      if (bucket === undefined) throw new Error(`there is no bucket ${name}`);
      return bucket;
    },
    stop: () => close(main.server),
  };
}

/** Runs an operation, with the fault that affects it. */
function ruined(operation: Operation, bucket: S3Bucket, request: S3Request, fault: S3Fault | undefined): S3Answer {
  if (fault === "503") throw new S3Refusal(503, "SlowDown", "Please reduce your request rate.");
  if (fault === "reset before effect") return { status: 0 };
  if (fault === "200 with error") return { status: 200, body: errorXml("InternalError", "We encountered an error.") };
  if (fault === "strange page")
    return { status: 200, body: Buffer.from("<html><body>Sign in to the network</body></html>") };
  const { headers, body } = request;
  if (fault === "no range") return operation.run(bucket, { ...request, headers: { ...headers, range: "" } });
  const stored = fault === "stored short" ? { ...request, body: body.subarray(0, -1) } : request;
  const answer = operation.run(bucket, stored);
  if (fault === "500 after effect")
    throw new S3Refusal(500, "InternalError", "We encountered an internal error. Please try again.");
  return fault === "reset after effect" ? { status: 0 } : answer;
}

/** Sends a response; a status of 0 closes the connection without one. */
function send(response: ServerResponse, { method }: S3Request, answer: S3Answer, fault: S3Fault | undefined): void {
  const { status, headers = {}, body = Buffer.alloc(0) } = answer;
  if (fault === "silent") return;
  if (status === 0) return void response.destroy();
  const length = headers["content-length"] ?? String(body.byteLength);
  response.writeHead(status, { server: "FakeS3", ...headers, ...(status !== 204 && { "content-length": length }) });
  if (method === "HEAD" || status === 204) return void response.end();
  if ((fault === "cut off" || fault === "stalled") && body.byteLength > 0) {
    response.write(body.subarray(0, Math.floor(body.byteLength / 2)), () => fault === "cut off" && response.destroy());
    return;
  }
  response.end(fault === "other byte" ? changed(body) : body);
}

function changed(body: Buffer): Buffer {
  const copy = Buffer.from(body);
  if (copy.byteLength > 0) copy[copy.byteLength >> 1] = (copy[copy.byteLength >> 1] ?? 0) ^ 1;
  return copy;
}

async function read(incoming: IncomingMessage, buckets: readonly string[]): Promise<S3Request> {
  const target = incoming.url ?? "/";
  const [path = "/", search = ""] = target.split("?");
  const headers = Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(",") : (value ?? ""),
    ]),
  );
  const inHost = buckets.find((name) => headers["host"]?.startsWith(`${name}.`));
  const [, first = "", rest = ""] = /^\/([^/]*)\/?(.*)$/s.exec(path) ?? [];
  const [bucket, key] = inHost === undefined ? [first, rest] : [inHost, path.slice(1)];
  return {
    method: incoming.method ?? "GET",
    target,
    headers,
    body: await bytesOf(incoming),
    bucket: decodeURIComponent(bucket),
    key: decodeURIComponent(key),
    query: new URLSearchParams(search),
  };
}
