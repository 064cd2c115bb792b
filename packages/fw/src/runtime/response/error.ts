import { isPromise } from "../../lib/promise.ts";
import { asError, isA } from "../../lib/thrown.ts";
import { Disconnected } from "../body/body.ts";
import { messages } from "../error-messages.ts";
import { usesCallers, usesIdentity, usesMCP, usesPages } from "../capabilities.ts";
import { sendPackageRefusal } from "../page/refusal.ts";
import { packageOf } from "../application.ts";
import type { Request } from "../request.ts";
import { reportFault } from "./fault.ts";
import { type Refusal, refusalOf, sendRefusal, setRetryAfter, wantsJSON } from "./refusal.ts";
import { refuseService } from "./service-answer.ts";

/**
 * Responds to a failed request. If the error is not a refusal, logs it with the request's id and responds with an
 * opaque 500.
 */
export function fail(request: Request, error: unknown): void {
  try {
    answerFailure(request, error);
  } catch (failure) {
    // Sending the response failed, so log the error and cut the connection.
    cutShort(request);
    reportFault(request, failure);
  }
}

/** Calls `proceed` now, or when the promise resolves. In the second case, any error fails the request. */
export function continueWith<T>(request: Request, value: Promise<T> | T, proceed: (value: T) => void): void {
  if (!isPromise(value)) return proceed(value);
  value.then(proceed).catch((error: unknown) => fail(request, error));
}

function answerFailure(request: Request, error: unknown): void {
  const isDisconnected = !request.exchange.isOpen;
  if (isA(error, Disconnected) || (isDisconnected && isAbort(error))) return request.finish();
  const refusal = refusalOf(error);
  if (refusal === undefined) reportFault(request, error);
  if (isDisconnected) return request.finish();
  if (request.exchange.hasBegun) return cutShort(request);
  refuse(request, refusal ?? { status: 500, message: internalMessage(request), kind: "internal" });
}

function isAbort(error: unknown): boolean {
  return isA(error, Error) && asError(error).name === "AbortError";
}

/**
 * Responds with a refusal: JSON to other services and programs, a page or text on a page's route, and otherwise text.
 */
export function refuse(request: Request, refusal: Refusal): void {
  // Drop headers that were meant for a response that is not sent.
  if (request.collected !== undefined) request.draft.headers = [];
  setRetryAfter(request, refusal);
  if (usesIdentity && refusal.status === 401) tellOfToken(request);
  if (usesCallers && request.caller !== undefined) return refuseService(request, refusal);
  if (usesPages && request.endpoint?.kind === "page")
    return sendPackageRefusal(request, packageOf(request.app, request.endpoint), refusal);
  sendRefusal(request, refusal, wantsJSON(request));
}

/** Sets `WWW-Authenticate` for a program whose access token is invalid, and for MCP clients, which need a token. */
function tellOfToken(request: Request): void {
  const isDead = request.session === undefined && request.claim?.by === "token";
  if (isDead) request.draft.addHeader("WWW-Authenticate", 'Bearer error="invalid_token"');
  else if (usesMCP && isMCP(request)) request.draft.addHeader("WWW-Authenticate", "Bearer");
}

function isMCP({ app, endpoint }: Request): boolean {
  if (endpoint === undefined) return false;
  return app.bundle.mcpServers?.some(({ declaration }) => app.endpoints.get(declaration) === endpoint) === true;
}

function internalMessage(request: Request): string {
  return wantsJSON(request) ? messages.internal : messages.internalWithId(request.requestId);
}

/** Cuts the connection of a response that has started, so the client sees that it is incomplete. */
function cutShort(request: Request): void {
  request.exchange.cut();
  request.finish();
}
