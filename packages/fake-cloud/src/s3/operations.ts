import { createHash } from "node:crypto";
import type { SignedRequest } from "./signature.ts";
import { S3Refusal, type NamedPart, type S3Bucket } from "./store.ts";

/** A response, before a fault changes it. */
export interface S3Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

/** A request for a bucket or an object. */
export interface S3Request extends SignedRequest {
  readonly bucket: string;
  /** Empty for the bucket itself. */
  readonly key: string;
  readonly query: URLSearchParams;
  readonly body: Buffer;
}

/** One operation of S3. */
export interface Operation {
  readonly name: string;
  readonly run: (bucket: S3Bucket, request: S3Request) => S3Answer;
}

interface Row extends Operation {
  readonly method: string;
  readonly on: "bucket" | "object";
  /** The query parameters that identify the operation; `mayHave` lists optional ones. */
  readonly query: readonly string[];
  readonly mayHave?: readonly string[];
}

const namespace = 'xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';

const rows: readonly Row[] = [
  {
    name: "PutObject",
    method: "PUT",
    on: "object",
    query: [],
    run: (bucket, request) => {
      const { etag } = bucket.put(request.key, request.body, contentTypeOf(request));
      return { status: 200, headers: { etag } };
    },
  },
  { name: "GetObject", method: "GET", on: "object", query: [], run: getObject },
  {
    name: "HeadObject",
    method: "HEAD",
    on: "object",
    query: [],
    run: (bucket, { key }) => {
      const { bytes, etag, contentType } = bucket.get(key);
      const headers = { etag, "content-type": contentType, "content-length": String(bytes.byteLength) };
      return { status: 200, headers: { ...headers, "accept-ranges": "bytes" } };
    },
  },
  {
    name: "DeleteObject",
    method: "DELETE",
    on: "object",
    query: [],
    run: (bucket, { key }) => {
      bucket.objects.delete(key);
      return { status: 204 };
    },
  },
  {
    name: "CreateMultipartUpload",
    method: "POST",
    on: "object",
    query: ["uploads"],
    run: (bucket, request) => {
      const { key } = request;
      const uploadId = bucket.begin(key, contentTypeOf(request));
      return xml(
        "InitiateMultipartUploadResult",
        `<Bucket>${request.bucket}</Bucket><Key>${escaped(key)}</Key><UploadId>${uploadId}</UploadId>`,
      );
    },
  },
  {
    name: "UploadPart",
    method: "PUT",
    on: "object",
    query: ["partNumber", "uploadId"],
    run: (bucket, { key, query, body }) => {
      const number = Number(query.get("partNumber"));
      const { etag } = bucket.putPart(key, query.get("uploadId") ?? "", number, body);
      return { status: 200, headers: { etag } };
    },
  },
  {
    name: "CompleteMultipartUpload",
    method: "POST",
    on: "object",
    query: ["uploadId"],
    run: (bucket, { key, query, body, bucket: name }) => {
      const { etag } = bucket.complete(key, query.get("uploadId") ?? "", namedParts(body.toString()));
      const content = `<Bucket>${name}</Bucket><Key>${escaped(key)}</Key><ETag>${escaped(etag)}</ETag>`;
      return xml("CompleteMultipartUploadResult", content);
    },
  },
  {
    name: "AbortMultipartUpload",
    method: "DELETE",
    on: "object",
    query: ["uploadId"],
    run: (bucket, { key, query }) => {
      bucket.abort(key, query.get("uploadId") ?? "");
      return { status: 204 };
    },
  },
  {
    name: "ListMultipartUploads",
    method: "GET",
    on: "bucket",
    query: ["uploads"],
    mayHave: ["prefix"],
    run: (bucket, { query, bucket: name }) => {
      const prefix = query.get("prefix") ?? "";
      const uploads = [...bucket.uploads].filter(([, { key }]) => key.startsWith(prefix)).slice(0, 1_000);
      const list = uploads.map(
        ([id, { key }]) => `<Upload><Key>${escaped(key)}</Key><UploadId>${id}</UploadId></Upload>`,
      );
      const head = `<Bucket>${name}</Bucket><Prefix>${escaped(prefix)}</Prefix>`;
      return xml("ListMultipartUploadsResult", `${head}<IsTruncated>false</IsTruncated>${list.join("")}`);
    },
  },
];

/** Finds the operation of a request; refuses methods and parameters that the fake does not know. */
export function operationOf({ method, key, query }: S3Request): Operation {
  const on = key === "" ? "bucket" : "object";
  // The AWS SDK also sends the operation's name.
  const names = [...query.keys()].filter((name) => name !== "x-id");
  const operation = rows.find(
    (row) =>
      row.method === method &&
      row.on === on &&
      row.query.every((name) => names.includes(name)) &&
      names.every((name) => row.query.includes(name) || row.mayHave?.includes(name)),
  );
  if (operation !== undefined) return operation;
  throw new S3Refusal(501, "NotImplemented", "A header you provided implies functionality that is not implemented");
}

/** Refuses a body that contradicts its headers. */
export function checkBody({ method, headers, body }: S3Request): void {
  if (method === "PUT" && headers["content-length"] === undefined)
    throw new S3Refusal(411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
  const digest = headers["content-md5"];
  if (digest !== undefined && digest !== createHash("md5").update(body).digest("base64"))
    throw new S3Refusal(400, "BadDigest", "The Content-MD5 you specified did not match what we received.");
}

export function errorXml(code: string, message: string): Buffer {
  return Buffer.from(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${escaped(message)}</Message><RequestId>FAKE</RequestId></Error>`,
  );
}

function getObject(bucket: S3Bucket, { key, headers }: S3Request): S3Answer {
  const { bytes, etag, contentType } = bucket.get(key);
  const common = { etag, "content-type": contentType, "accept-ranges": "bytes" };
  const range = /^bytes=(\d+)-(\d*)$/.exec(headers["range"] ?? "");
  if (range === null) return { status: 200, headers: common, body: bytes };
  const [start, last] = [Number(range[1]), range[2] === "" ? Infinity : Number(range[2])];
  if (start >= bytes.byteLength || last < start)
    throw new S3Refusal(416, "InvalidRange", "The requested range is not satisfiable");
  const end = Math.min(last + 1, bytes.byteLength);
  const contentRange = `bytes ${start}-${end - 1}/${bytes.byteLength}`;
  return { status: 206, headers: { ...common, "content-range": contentRange }, body: bytes.subarray(start, end) };
}

function namedParts(text: string): readonly NamedPart[] {
  const part = /<Part>\s*(?:<PartNumber>(\d+)<\/PartNumber>|<ETag>([^<]*)<\/ETag>|\s)+<\/Part>/g;
  return [...text.matchAll(part)].map(([inner]) => ({
    number: Number(/<PartNumber>(\d+)</.exec(inner)?.[1]),
    etag: (/<ETag>([^<]*)</.exec(inner)?.[1] ?? "").replaceAll("&quot;", '"'),
  }));
}

function xml(root: string, content: string): S3Answer {
  const body = Buffer.from(`<?xml version="1.0" encoding="UTF-8"?>\n<${root} ${namespace}>${content}</${root}>`);
  return { status: 200, headers: { "content-type": "application/xml" }, body };
}

function contentTypeOf({ headers }: S3Request): string {
  return headers["content-type"] ?? "binary/octet-stream";
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
