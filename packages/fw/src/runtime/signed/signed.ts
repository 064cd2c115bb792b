import { isStatusError, StatusError } from "../../declare/errors.ts";
import { preflightMaxAge } from "../../lib/limits.ts";
import type { Grant, Objects } from "../../platform/objects.ts";
import { sizeHeader } from "../../platform/signed-headers.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendRefusal, wantsHTML } from "../response/refusal.ts";
import { sendEmpty } from "../response/send.ts";
import type { InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { sendDownload } from "./download.ts";
import { takeUpload } from "./upload.ts";

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
    // Refused here rather than by the caller, because scripts of other origins may read the response.
    if (!isStatusError(error)) throw error;
    sendRefusal(request, error, !wantsHTML(request));
  }
}

function objectsOf({ app }: Request): Objects {
  const objects = app.platform?.objects;
  if (objects?.openGrant === undefined) throw new StatusError(404, messages.notFound);
  return objects;
}

/** Returns the grant of the URL. Throws a 403 if it is invalid, expired, for another method, or has a query. */
async function grantOf({ exchange, query }: Request, objects: Objects, token: string): Promise<Grant> {
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
