import { StatusError } from "../../declare/errors.ts";
import { isContentType, matchesContentType } from "../../lib/content-type.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Grant, ObjectFacts, Objects } from "../../platform/objects.ts";
import { signedHeaders, sizeHeader } from "../../platform/signed-headers.ts";
import { quoteETag } from "../blob/response.ts";
import { bodyStream } from "../body/stream.ts";
import { announcedBytes } from "../exchange/readable-body.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendEmpty } from "../response/send.ts";

/**
 * Stores an upload by signed URL. Refuses violations of its policy before reading the body, or as soon as the body is
 * too long.
 */
export async function takeUpload(request: Request, objects: Objects, grant: Grant): Promise<void> {
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
  { bucket, key, maxSize }: Grant,
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

/** Requires the size header. The cloud's object store requires it as well, because it is signed. */
function requireSizeHeader({ exchange }: Request, grant: Grant): void {
  const required = signedHeaders(grant)[sizeHeader];
  if (required !== undefined && exchange.header(sizeHeader) !== required)
    throw new StatusError(403, messages.signedHeaders);
}

/** Returns the content type to store; a generic binary type if the client names none. */
function requireType({ exchange }: Request, { contentType: required }: Grant): string {
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

function requireSize({ exchange }: Request, { maxSize }: Grant): void {
  const announced = announcedBytes(exchange);
  if (maxSize !== undefined && announced !== undefined && announced > maxSize) throw tooLarge(maxSize);
}

function tooLarge(limit: number): StatusError {
  return new StatusError(413, messages.uploadSize(limit));
}
