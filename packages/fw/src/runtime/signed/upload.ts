import { StatusError } from "../../declare/errors.ts";
import { isContentType, matchesContentType } from "../../lib/content-type.ts";
import { isPlatformError } from "../../platform/errors.ts";
import type { Grant, ObjectFacts, Objects } from "../../platform/objects.ts";
import { signedHeaders, sizeHeader } from "../../platform/signed-headers.ts";
import { quoteETag } from "../blob/response.ts";
import { bodyStream } from "../body/stream.ts";
import { announcedBytes } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendEmpty } from "../response/send.ts";

/** Takes an upload by signed URL. What the policy forbids is refused before the body is read, or as soon as it is too long. */
export async function takeUpload(request: Request, objects: Objects, grant: Grant): Promise<void> {
  requireSizeHeader(request, grant);
  const contentType = typeOf(request, grant);
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

/** A client that left out the header would be refused by the cloud's object store too, which signs it. */
function requireSizeHeader({ exchange }: Request, grant: Grant): void {
  const wanted = signedHeaders(grant)[sizeHeader];
  if (wanted !== undefined && exchange.header(sizeHeader) !== wanted)
    throw new StatusError(403, messages.signedHeaders);
}

/** The type to keep; bytes where the client names none and may. */
function typeOf({ exchange }: Request, { contentType: wanted }: Grant): string {
  const type = exchange.header("content-type") ?? "";
  const known = isContentType(type);
  if (wanted !== undefined && !(known && matchesContentType(wanted, type)))
    throw new StatusError(415, messages.uploadType(wanted));
  return known ? type : "application/octet-stream";
}

/** A part would be taken for the whole. */
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
