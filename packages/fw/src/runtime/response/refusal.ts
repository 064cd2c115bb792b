import { isDenied, isEmailTaken, isStatusError, type StatusError } from "../../declare/errors.ts";
import { exactText } from "../../lib/exact-text.ts";
import { isA } from "../../lib/thrown.ts";
import { policyOfRefusal } from "../auth/policy.ts";
import { usesErrorShapes, usesPolicies } from "../capabilities.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { RetryLater } from "./busy.ts";
import { refusalCaching } from "./cache-control.ts";
import { sendText } from "./send.ts";
import { errorShapeOf, shapedErrorText } from "./shaped-error.ts";

/** The kind of a refusal, which `X-Fw-Error` states for calling services. */
export type ErrorKind = "denied" | "email-taken" | "status" | "internal";

/** The parts of an error that clients may see. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The policy that refused, if one did. */
  readonly policy?: string;
  /** The kind for another service; `status` by default. */
  readonly kind?: ErrorKind;
  /** The details of the error as JSON; absent if it has none. */
  readonly detailsText?: string;
  /** Seconds after which the request may be repeated; absent if unknown. */
  readonly retryAfter?: number;
}

/** Returns the parts of an error that clients may see; undefined for an internal error. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!isStatusError(error)) return undefined;
  const { status, message, detailsText } = readable(error);
  if (typeof status !== "number" || typeof message !== "string") return undefined;
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
  const again = isA(error, RetryLater) ? { retryAfter: error.retryAfter } : {};
  const more = detailsText === undefined ? again : { ...again, detailsText };
  return { status, message, policy: usesPolicies ? policyOfRefusal(error) : "", kind: errorKindOf(error), ...more };
}

interface Readable {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly detailsText?: string | undefined;
}

/**
 * Checks the members, because objects from other code may carry the brand of a StatusError, and details may not be
 * encodable as JSON.
 */
function readable(error: StatusError): Readable {
  try {
    const { status, message, details } = error;
    return { status, message, detailsText: details === undefined ? undefined : exactText(details) };
  } catch {
    return {};
  }
}

function errorKindOf(error: unknown): ErrorKind {
  if (isDenied(error)) return "denied";
  return isEmailTaken(error) ? "email-taken" : "status";
}

/** Sets the Retry-After header if the refusal has a time. */
export function setRetryAfter(request: Request, { retryAfter }: Refusal): void {
  if (retryAfter !== undefined) request.draft.addHeader("Retry-After", String(retryAfter));
}

/** Sends a refusal as JSON or as plain text. */
export function sendRefusal(
  request: Request,
  refusal: Refusal,
  json: boolean,
  cacheControl: "no-cache" | "no-store" = refusalCaching(request, refusal.status),
): void {
  const headers = ["Cache-Control", cacheControl];
  const { status, message } = refusal;
  if (json) return sendText(request, status, "application/json", headers, jsonErrorText(request, refusal));
  sendText(request, status, "text/plain; charset=utf-8", headers, message);
}

function jsonErrorText(request: Request, refusal: Refusal): string {
  const shape = usesErrorShapes ? errorShapeOf(request) : undefined;
  const shaped = shape && shapedErrorText(request, shape, refusal);
  return shaped ?? errorText(refusal.message, refusal.detailsText);
}

/**
 * Encodes an error as JSON: the message, details that are already JSON, and between services the policy that refused.
 */
export function errorText(message: string, details: string | undefined, policy?: string): string {
  const text = JSON.stringify({ error: message, policy });
  return details === undefined ? text : `${text.slice(0, -1)},"details":${details}}`;
}

/** Responds with 405 and the methods that the path allows. */
export function refuseMethod(request: Request, allowed: readonly string[]): void {
  request.draft.addHeader("Allow", allowed.join(", "));
  sendRefusal(request, { status: 405, message: messages.methodNotAllowed }, wantsJSON(request));
}

/** True if a program expects the response: on an API route, or without a route if the client does not accept HTML. */
export function wantsJSON(request: Request): boolean {
  return request.endpoint === undefined ? !wantsHTML(request) : request.endpoint.kind !== "page";
}

/** True if the client lists HTML in Accept, as browsers do when they navigate. */
export function wantsHTML({ exchange }: Request): boolean {
  return exchange.header("accept")?.includes("text/html") ?? false;
}
