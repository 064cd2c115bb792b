import { isStatusError, StatusError } from "../../declare/errors.ts";
import type { Grant, Objects } from "../../platform/objects.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { sendRefusal, wantsHTML } from "../response/refusal.ts";
import { sendEmpty } from "../response/reply.ts";
import type { InjectedEndpoints } from "../routing/injected-endpoint.ts";
import { allowOtherOrigins, preflightHeaders } from "./cross-origin.ts";
import { sendDownload } from "./download.ts";
import { takeUpload } from "./upload.ts";

/** The URLs that `signedPut` and `signedGet` make, where the platform leaves it to the application to answer them. */
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
    // Refused here, because scripts of other origins may read the answer.
    if (!isStatusError(error)) throw error;
    sendRefusal(request, error, !wantsHTML(request));
  }
}

function objectsOf({ app }: Request): Objects {
  const objects = app.platform?.objects;
  if (objects?.openGrant === undefined) throw new StatusError(404, messages.notFound);
  return objects;
}

/** What the URL allows, if it is whole, still good, and for this method. It has no query. */
async function grantOf({ exchange, query }: Request, objects: Objects, token: string): Promise<Grant> {
  const method = exchange.method === "HEAD" ? "GET" : exchange.method;
  const grant = query === "" ? await objects.openGrant?.(token) : undefined;
  if (grant === undefined || grant.method !== method) throw new StatusError(403, messages.signedURL);
  return grant;
}
