import { Reply, type Exchange } from "../api.ts";
import type { Cloud } from "../cloud.ts";
import { Refusal } from "../errors.ts";
import { bytesOf, writeAnswer } from "../server.ts";
import type { Bucket, CorsRule, Objects, Preconditions } from "./buckets.ts";
import { contentReply } from "./content.ts";
import type { Put } from "./uploads.ts";
import { verifySignedUrl, type XmlError } from "./signed-url.ts";

interface StoredObject {
  readonly buckets: ReadonlyMap<string, Bucket>;
  readonly objects: Objects;
  readonly put: Put;
}

/** The part of the XML API that signed URLs need: objects by path, and CORS. */
export class XmlApi {
  readonly #cloud: Cloud;
  readonly #stored: StoredObject;

  constructor(cloud: Cloud, stored: StoredObject) {
    this.#cloud = cloud;
    this.#stored = stored;
  }

  /** Handles `/<bucket>/<object>`. */
  async answer(exchange: Exchange): Promise<void> {
    const { request, response, path } = exchange;
    const [, bucket = "", object = ""] = /^\/([^/]+)\/?(.*)$/.exec(path) ?? [];
    const name = decodeURIComponent(object);
    this.#allowOrigin(exchange, bucket);
    if (request.method === "OPTIONS") {
      request.resume();
      response.writeHead(200, { "content-length": "0" }).end();
      return;
    }
    try {
      writeAnswer(response, await this.#answer(exchange, bucket, name));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      request.resume();
      const code =
        { 403: "AccessDenied", 404: "NoSuchKey", 412: "PreconditionFailed" }[error.status] ?? "InvalidArgument";
      writeAnswer(response, xmlReply({ status: error.status, code, message: error.message }));
    }
  }

  async #answer(exchange: Exchange, bucket: string, name: string): Promise<Reply> {
    const { request, path, search } = exchange;
    const method = request.method ?? "GET";
    const { headers } = request;
    const verdict = await verifySignedUrl({ method, path, search, headers, now: this.#cloud.clock.now() }, (email) =>
      this.#cloud.tokens.keysOf(email).publicKeys(),
    );
    if ("refused" in verdict) {
      request.resume();
      return xmlReply(verdict.refused);
    }
    const allow = (permission: string): void => this.#allow(verdict.signer, permission, bucket, name);
    if (method === "GET" || method === "HEAD") {
      allow("storage.objects.get");
      const object = this.#stored.objects.get(bucket, name, search.get("generation") ?? undefined);
      return contentReply(object, {
        range: headers.range,
        acceptEncoding: headers["accept-encoding"],
        etag: "xml",
        headOnly: method === "HEAD",
      });
    }
    if (method === "PUT") {
      allow("storage.objects.create");
      if (this.#stored.objects.find(bucket, name)) allow("storage.objects.delete");
      return this.#upload(exchange, bucket, name);
    }
    if (method === "DELETE") {
      allow("storage.objects.delete");
      this.#stored.objects.delete(bucket, name, conditionsOf(headers));
      return new Reply(204);
    }
    return xmlReply({
      status: 405,
      code: "MethodNotAllowed",
      message: "The specified method is not allowed against this resource.",
    });
  }

  async #upload({ request }: Exchange, bucket: string, name: string): Promise<Reply> {
    const { headers } = request;
    const content = await bytesOf(request);
    const bounds = String(headers["x-goog-content-length-range"] ?? "");
    const [, least = "0", most = "Infinity"] = /^(\d+),(\d+)$/.exec(bounds) ?? [];
    if (content.length > Number(most)) {
      return xmlReply({
        status: 400,
        code: "EntityTooLarge",
        message: "Your proposed upload exceeds the maximum allowed object size.",
        more: { Details: `Content-length exceeds upper bound on range` },
      });
    }
    if (content.length < Number(least)) {
      return xmlReply({
        status: 400,
        code: "EntityTooSmall",
        message: "Your proposed upload is smaller than the minimum object size specified in your Policy Document.",
        more: { Details: `Content-length smaller than lower bound on range` },
      });
    }
    const type = headers["content-type"];
    const metadata = type === undefined ? {} : { contentType: type };
    const object = this.#stored.put({ bucket, name, content, metadata, conditions: conditionsOf(headers) });
    return new Reply(200, {
      etag: `"${object.md5.toString("hex")}"`,
      "x-goog-generation": String(object.generation),
      "x-goog-metageneration": "1",
      "x-goog-hash": `crc32c=${object.crc32c},md5=${object.md5.toString("base64")}`,
      "x-goog-stored-content-length": String(content.length),
      "content-length": "0",
    });
  }

  #allow(signer: string, permission: string, bucket: string, name: string): void {
    const resource = objectResource(bucket, name);
    if (this.#cloud.may(signer, permission, resource)) return;
    throw new Refusal("PERMISSION_DENIED", "Access denied.");
  }

  /** Sets CORS headers according to the bucket's rules. */
  #allowOrigin({ request, response }: Exchange, bucket: string): void {
    const { origin } = request.headers;
    if (origin === undefined) return;
    const requestMethod =
      request.method === "OPTIONS" ? request.headers["access-control-request-method"] : request.method;
    const rules = this.#stored.buckets.get(bucket)?.settings.cors ?? [];
    const rule = rules.find((one) => isFor(one, origin, requestMethod ?? ""));
    if (!rule) return;
    response.setHeader("access-control-allow-origin", rule.origin?.includes("*") ? "*" : origin);
    response.setHeader("access-control-expose-headers", (rule.responseHeader ?? []).join(", "));
    response.setHeader("vary", "Origin");
    if (request.method !== "OPTIONS") return;
    response.setHeader("access-control-allow-methods", (rule.method ?? []).join(","));
    response.setHeader("access-control-allow-headers", (rule.responseHeader ?? []).join(", "));
    response.setHeader("access-control-max-age", String(rule.maxAgeSeconds ?? 3600));
  }
}

/** Names an object as a resource, in the format of grants. */
export function objectResource(bucket: string, name: string): string {
  return `${bucketResource(bucket)}/objects/${name}`;
}

export function bucketResource(bucket: string): string {
  return `//storage.googleapis.com/projects/_/buckets/${bucket}`;
}

function isFor(rule: CorsRule, origin: string, method: string): boolean {
  return names(rule.origin, origin) && names(rule.method, method);
}

function names(list: readonly string[] | undefined, value: string): boolean {
  return list?.some((one) => one === "*" || one === value) ?? false;
}

function conditionsOf(headers: Exchange["request"]["headers"]): Preconditions {
  const generation = headers["x-goog-if-generation-match"];
  const metageneration = headers["x-goog-if-metageneration-match"];
  return {
    ...(generation !== undefined && { ifGenerationMatch: String(generation) }),
    ...(metageneration !== undefined && { ifMetagenerationMatch: String(metageneration) }),
  };
}

function xmlReply({ status, code, message, more = {} }: XmlError): Reply {
  const parts = Object.entries({ Code: code, Message: message, ...more }).map(
    ([name, text]) => `<${name}>${escaped(text)}</${name}>`,
  );
  const body = `<?xml version='1.0' encoding='UTF-8'?><Error>${parts.join("")}</Error>`;
  return new Reply(
    status,
    { "content-type": "application/xml; charset=UTF-8", "content-length": String(Buffer.byteLength(body)) },
    body,
  );
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
