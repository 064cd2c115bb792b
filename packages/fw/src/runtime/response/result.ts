import type { Blob } from "../../declare/blob.ts";
import { Fault } from "../../declare/errors.ts";
import { isHTML } from "../../declare/html.ts";
import { isRedirection } from "../../declare/redirect.ts";
import { isBlob, sendBlob } from "../blob/blob.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { sendHTML } from "../page/document.ts";
import type { RawHeaders } from "../exchange/exchange.ts";
import { cacheHeaders } from "../page/headers.ts";
import { sendRedirection } from "../page/redirect.ts";
import type { Request } from "../request.ts";
import { fail } from "./error.ts";
import { jsonText } from "./json-text.ts";
import { sendEmpty, sendText } from "./reply.ts";
import { markResult } from "./service-answer.ts";

/** Sends what a handler returned. */
export function sendResult(request: Request, endpoint: BundledEndpoint, result: unknown): void {
  if (!request.exchange.isOpen) return request.finish();
  if (request.caller !== undefined) markResult(request, result);
  if (isBlob(result)) return sendBlobResult(request, endpoint, result);
  if (endpoint.kind === "api") return sendJSON(request, endpoint, result);
  sendPage(request, endpoint, result);
}

function sendJSON(request: Request, endpoint: BundledEndpoint, result: unknown): void {
  if (result === undefined) return sendEmpty(request, 204, personal(request, endpoint));
  sendText(request, 200, "application/json", personal(request, endpoint), jsonText(endpoint, result));
}

/** What one visitor was answered is no other's: no cache keeps what a session or a gate took part in. */
function personal({ bringsSession }: Request, { signIn }: BundledEndpoint): RawHeaders {
  return bringsSession || signIn ? ["Cache-Control", "no-store"] : [];
}

function sendPage(request: Request, endpoint: BundledEndpoint, result: unknown): void {
  if (isHTML(result)) return sendHTML(request, 200, result, endpoint.maxAge);
  if (isRedirection(result)) return sendRedirection(request, result, endpoint.maxAge);
  if (result === undefined) return sendEmpty(request, 204, cacheHeaders(request, endpoint.maxAge));
  throw new Fault(`${endpoint.route} must return site.render(…), site.fragment(…), Redirect(…) or a Blob`);
}

function sendBlobResult(request: Request, endpoint: BundledEndpoint, blob: Blob): void {
  request.markStarted();
  const vary = endpoint.kind === "page" ? request.varies : endpoint.varies;
  sendBlob(request, blob, { maxAge: endpoint.maxAge, vary }).then(
    () => request.finish(),
    (error: unknown) => fail(request, error),
  );
}
