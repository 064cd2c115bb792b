import { isStatusError, StatusError, NotFound } from "../../declare/errors.ts";
import { preflightMaxAge } from "../../lib/limits.ts";
import type { ObjectGrant, Objects, ObjectFacts } from "../../platform/objects.ts";
import { sizeHeader, signedHeaders } from "../../platform/signed-headers.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendRefusal, wantsHTML } from "../response/refusal.ts";
import { sendEmpty } from "../response/send.ts";
import type { InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { isContentType, matchesContentType, bareType } from "../../lib/content-type.ts";
import { isPlatformError } from "../../platform/errors.ts";
import { quoteETag } from "../blob/response.ts";
import { bodyStream } from "../body/stream.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { sendBlob } from "../blob/send-blob.ts";
import { storedBlob } from "../bucket/stored-blob.ts";

/** The URLs of `signedPut` and `signedGet` on platforms where the application serves them itself. */
export const signedEndpoints: InjectedEndpoints = {
  "api/signed/": { methods: ["GET", "HEAD", "OPTIONS", "PUT"], handle: answerSigned },
};

async function answerSigned(request: Request, token: string): Promise<void> {
  allowOtherOrigins(request);
  try {
    if (request.exchange.method === "OPTIONS") return sendEmpty(request, 204, preflightHeaders());
    const objects = objectsOf(request);
    const grant = await grantOf(request, objects, token);
    if (grant.method === "PUT") return await takeUpload(request, objects, grant);
    await sendDownload(request, objects, grant);
  } catch (error) {
    // Refuse here, where the response has headers that let scripts of other origins read it.
    if (!isStatusError(error)) throw error;
    sendRefusal(request, error, !wantsHTML(request));
  }
}

function objectsOf({ app }: Request): Objects {
  const objects = app.platform?.objects;
  if (objects?.openGrant === undefined) throw new StatusError(404, messages.notFound);
  return objects;
}

/** Returns the grant in the URL. Throws a 403 if the URL is invalid, expired, for another method, or has a query. */
async function grantOf({ exchange, query }: Request, objects: Objects, token: string): Promise<ObjectGrant> {
  const method = exchange.method === "HEAD" ? "GET" : exchange.method;
  const grant = query === "" ? await objects.openGrant?.(token) : undefined;
  if (grant === undefined || grant.method !== method) throw new StatusError(403, messages.signedURL);
  return grant;
}

/** Allows scripts of every origin to read the response: the URL is the permission, and cookies have no effect. */
function allowOtherOrigins(request: Request): void {
  request.draft.addHeader("Access-Control-Allow-Origin", "*");
  request.draft.addHeader("Access-Control-Expose-Headers", "Accept-Ranges, Content-Length, Content-Range, ETag");
}

function preflightHeaders(): RawHeaders {
  return [
    "Access-Control-Allow-Methods",
    "GET, HEAD, PUT",
    "Access-Control-Allow-Headers",
    `Content-Type, If-None-Match, If-Range, Range, ${sizeHeader}`,
    "Access-Control-Max-Age",
    preflightMaxAge,
  ];
}

/**
 * Stores an upload to a signed URL. Refuses requests that violate its policy before reading the body, or as soon as the
 * body is too long.
 */
async function takeUpload(request: Request, objects: Objects, grant: ObjectGrant): Promise<void> {
  requireSizeHeader(request, grant);
  const contentType = requireType(request, grant);
  requireWhole(request);
  requireSize(request, grant);
  const { etag } = await store(request, objects, grant, contentType);
  sendEmpty(request, 200, ["ETag", quoteETag(etag)]);
}

async function store(
  request: Request,
  objects: Objects,
  { bucket, key, maxSize }: ObjectGrant,
  contentType: string,
): Promise<ObjectFacts> {
  try {
    const limit = maxSize === undefined ? {} : { maxSize };
    return await objects.put(bucket, key, bodyStream(request.exchange), { contentType, ...limit });
  } catch (error) {
    if (isPlatformError(error, "too-large") && maxSize !== undefined) throw tooLarge(maxSize);
    throw error;
  }
}

/** Requires the size header, as the cloud's object store does because the header is signed. */
function requireSizeHeader({ exchange }: Request, grant: ObjectGrant): void {
  const required = signedHeaders(grant)[sizeHeader];
  if (required !== undefined && exchange.header(sizeHeader) !== required)
    throw new StatusError(403, messages.signedHeaders);
}

/**
 * Returns the content type to store; a generic binary type if the client sends no valid one. Throws a 415 if the URL
 * requires a different type.
 */
function requireType({ exchange }: Request, { contentType: required }: ObjectGrant): string {
  const type = exchange.header("content-type") ?? "";
  const isValid = isContentType(type);
  if (required !== undefined && !(isValid && matchesContentType(required, type)))
    throw new StatusError(415, messages.uploadType(required));
  return isValid ? type : "application/octet-stream";
}

/** Refuses partial uploads, which would be stored as complete objects. */
function requireWhole({ exchange }: Request): void {
  if (exchange.header("content-range") !== undefined) throw new StatusError(400, messages.uploadPart);
}

function requireSize({ exchange }: Request, { maxSize }: ObjectGrant): void {
  const announced = announcedBytes(exchange);
  if (maxSize !== undefined && announced !== undefined && announced > maxSize) throw tooLarge(maxSize);
}

function tooLarge(limit: number): StatusError {
  return new StatusError(413, messages.uploadSize(limit));
}

/** Types that browsers display without running code in this origin. None ends in `+xml`. */
const harmless =
  /^(?:image\/(?:apng|avif|bmp|gif|jpeg|png|webp|x-icon)|(?:audio|video)\/[a-z0-9.-]+|text\/plain|application\/pdf)$/;

/** Request destinations that make a browser run any content as code, with the rights of the requesting page. */
const codeDestinations = new Set([
  "audioworklet",
  "paintworklet",
  "script",
  "serviceworker",
  "sharedworker",
  "worker",
  "xslt",
]);

/**
 * Sends the object for a signed URL. An uploader controls its content, but its URL has the application's origin.
 * Content that could run code is therefore downloaded instead of displayed, and sandboxed in case a browser displays it
 * anyway.
 */
async function sendDownload(request: Request, objects: Objects, { bucket, key }: ObjectGrant): Promise<void> {
  if (codeDestinations.has(String(request.exchange.header("sec-fetch-dest"))))
    throw new StatusError(403, messages.notAScript);
  const object = await objects.open(bucket, key);
  if (object === undefined) throw NotFound();
  const isHarmless = harmless.test(bareType(object.contentType));
  request.draft.addHeader("Content-Disposition", `${isHarmless ? "inline" : "attachment"}${fileName(key)}`);
  if (!isHarmless)
    request.draft.addHeader("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  await sendBlob(request, storedBlob(object), { maxAge: 0 });
}

/**
 * Formats the last part of the key as parameters of a Content-Disposition: a file name in plain ASCII for all clients,
 * and the exact one for clients that support RFC 8187.
 */
function fileName(key: string): string {
  const name = key.slice(key.lastIndexOf("/") + 1);
  if (name === "") return "";
  const exact = encodeURIComponent(name).replaceAll(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return `; filename="${name.replaceAll(/[^\w. -]/g, "_")}"; filename*=UTF-8''${exact}`;
}
