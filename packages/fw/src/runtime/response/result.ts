import type { Blob } from "../../declare/blob.ts";
import { Fault, isStatusError } from "../../declare/errors.ts";
import { isEventStream, type EventStream } from "../../declare/events.ts";
import { isHTML } from "../../declare/html.ts";
import { isRedirection } from "../../declare/redirect.ts";
import { isReply, type Reply } from "../../declare/reply.ts";
import { closeReader, isBlob, sendBlob } from "../blob/send-blob.ts";
import type { BundledEndpoint } from "../bundle.ts";
import { usesBlobs, usesCallers, usesMounts, usesPages, usesReplies } from "../capabilities.ts";
import { sendHTML } from "../page/document.ts";
import { sendRedirection } from "../page/redirect.ts";
import { sendResponse } from "../mount/response.ts";
import type { Request } from "../request.ts";
import { apiCaching, pageCaching } from "./cache-control.ts";
import { endInTime } from "./end-in-time.ts";
import { fail } from "./error.ts";
import { jsonText } from "./json-text.ts";
import { sendEmpty, sendText } from "./send.ts";
import { replyCookies, replyHeaders, requireReply } from "./reply-headers.ts";
import { takeStreamPlace } from "./stream-place.ts";
import { markReply, markResult } from "./service-answer.ts";

/** Sends the result of a handler. If the result is a StatusError, throws it. */
export function sendResult(request: Request, endpoint: BundledEndpoint, result: unknown): void {
  if (!request.exchange.isOpen) return request.finish();
  if (usesMounts && endpoint.kind === "mount") return sendResponse(request, endpoint, result);
  if (isStatusError(result)) throw result;
  if (usesReplies && isReply(result)) return sendReply(request, endpoint, result);
  if (usesCallers && request.caller !== undefined) markResult(request, result);
  sendBody(request, endpoint, result, { status: endpoint.status });
}

interface Sending {
  /** The response status, instead of the body's default. */
  readonly status: number | undefined;
  /** The content type, instead of `application/json`. */
  readonly type?: string | undefined;
  /** True if it sets cookies, which are meant for one client. */
  readonly setsCookies?: boolean;
}

/**
 * Sends a body with the status, headers and cookies of its reply. A calling service recreates the reply from a separate
 * header.
 */
function sendReply(request: Request, endpoint: BundledEndpoint, reply: Reply): void {
  requireReply(endpoint, reply);
  const { body, status = endpoint.status } = reply;
  const { type, headers } = replyHeaders(reply);
  const cookies = replyCookies(reply, request.secure);
  if (usesCallers && request.caller !== undefined) {
    markReply(request, reply);
    return sendBody(request, endpoint, body, { status });
  }
  for (const [name, value] of headers) request.draft.addHeader(name, value);
  if (cookies.length > 0) request.draft.cookies.push(...cookies);
  sendBody(request, endpoint, body, { status, type, setsCookies: cookies.length > 0 });
}

function sendBody(request: Request, endpoint: BundledEndpoint, body: unknown, sending: Sending): void {
  if (usesBlobs && isBlob(body)) return sendBlobResult(request, endpoint, body, sending.status);
  if (!usesPages || endpoint.kind === "api") return sendJSON(request, endpoint, body, sending);
  sendPage(request, endpoint, body, sending.status);
}

function sendJSON(request: Request, endpoint: BundledEndpoint, body: unknown, sending: Sending): void {
  const { status, type = "application/json" } = sending;
  const headers = apiCaching(request, endpoint, sending);
  if (body === undefined) return sendEmpty(request, status ?? 204, headers);
  sendText(request, status ?? 200, type, headers, jsonText(endpoint, body));
}

function sendPage(request: Request, endpoint: BundledEndpoint, body: unknown, status: number | undefined): void {
  const maxAge = status === undefined || status === 200 ? endpoint.maxAge : 0;
  if (isHTML(body)) return sendHTML(request, status ?? 200, body, maxAge);
  if (isRedirection(body)) return sendRedirection(request, body, maxAge);
  if (body === undefined) return sendEmpty(request, status ?? 204, pageCaching(request, maxAge));
  throw new Fault(`${endpoint.route} must return site.render(…), site.fragment(…), Redirect(…) or a Blob`);
}

function sendBlobResult(request: Request, endpoint: BundledEndpoint, blob: Blob, status: number | undefined): void {
  try {
    takeStreamPlace(request, isEventStream(blob));
  } catch (error) {
    closeReader(blob);
    throw error;
  }
  request.markStarted();
  if (isEventStream(blob)) endEventsInTime(request, endpoint, blob);
  const vary = endpoint.kind === "page" ? request.varies : endpoint.varies;
  const maxAge = status === undefined || status < 300 ? endpoint.maxAge : 0;
  sendBlob(request, blob, { maxAge, vary, status }).then(
    () => request.finish(),
    (error: unknown) => fail(request, error),
  );
}

function endEventsInTime(request: Request, endpoint: BundledEndpoint, events: EventStream): void {
  request.limit?.end(request);
  const over = endInTime(request, endpoint, () => {
    events.end();
    request.abort(new Error("the events have ended"));
  });
  request.exchange.onceOver(over);
}
