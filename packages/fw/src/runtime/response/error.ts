import { isPromise } from "../../lib/promise.ts";
import { asError, isA } from "../../lib/thrown.ts";
import { Disconnected } from "../body/body.ts";
import { messages } from "../error-messages.ts";
import { usesCallers, usesIdentity, usesPages } from "../capabilities.ts";
import { sendPackageRefusal } from "../page/refusal.ts";
import { packageOf } from "../application.ts";
import type { Request } from "../request.ts";
import { reportFault } from "./fault.ts";
import { type Refusal, refusalOf, sendRefusal, setRetryAfter, wantsJSON } from "./refusal.ts";
import { refuseService } from "./service-answer.ts";

/** Answers a request that failed. What is no refusal is logged under the request's id and answered as an opaque 500. */
export function fail(request: Request, error: unknown): void {
  try {
    answerFailure(request, error);
  } catch (failure) {
    // Nobody stands behind this: what cannot be answered is logged, and its client sees the connection end.
    cutShort(request);
    reportFault(request, failure);
  }
}

/** Calls `proceed` now or when the promise settles; errors of either fail the request. */
export function continueWith<T>(request: Request, value: Promise<T> | T, proceed: (value: T) => void): void {
  if (!isPromise(value)) return proceed(value);
  value.then(proceed).catch((error: unknown) => fail(request, error));
}

function answerFailure(request: Request, error: unknown): void {
  const gone = !request.exchange.isOpen;
  if (isA(error, Disconnected) || (gone && isAbort(error))) return request.finish();
  const refusal = refusalOf(error);
  if (refusal === undefined) reportFault(request, error);
  if (gone) return request.finish();
  if (request.exchange.hasBegun) return cutShort(request);
  refuse(request, refusal ?? { status: 500, message: internalMessage(request), kind: "internal" });
}

/** True for what operations throw that were given the signal of a request whose client has gone. */
function isAbort(error: unknown): boolean {
  return isA(error, Error) && asError(error).name === "AbortError";
}

/** Answers a refusal: JSON on an API route and to other services, text or the designed page on a page. */
export function refuse(request: Request, refusal: Refusal): void {
  // What was prepared for a response that is not sent.
  if (request.collected !== undefined) request.draft.headers = [];
  setRetryAfter(request, refusal);
  if (usesIdentity && refusal.status === 401) tellOfDeadToken(request);
  if (usesCallers && request.caller !== undefined) return refuseService(request, refusal);
  if (usesPages && request.endpoint?.kind === "page")
    return sendPackageRefusal(request, packageOf(request.app, request.endpoint), refusal);
  sendRefusal(request, refusal, wantsJSON(request));
}

/** A program learns that it is its access token which does not count. */
function tellOfDeadToken(request: Request): void {
  if (request.session === undefined && request.claim?.by === "token")
    request.draft.addHeader("WWW-Authenticate", 'Bearer error="invalid_token"');
}

function internalMessage(request: Request): string {
  return wantsJSON(request) ? messages.internal : messages.internalWithId(request.requestId);
}

/** A response that has begun cannot become another one: the client must see that it is incomplete. */
function cutShort(request: Request): void {
  request.exchange.cut();
  request.finish();
}
