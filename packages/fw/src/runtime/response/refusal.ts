import { isDenied, isEmailTaken, isStatusError, type StatusError } from "../../declare/errors.ts";
import { exactText } from "../../lib/exact-text.ts";
import { isA } from "../../lib/thrown.ts";
import { policyOfRefusal } from "../auth/policy.ts";
import { usesPolicies } from "../capabilities.ts";
import { messages } from "../error-messages.ts";
import type { Request } from "../request.ts";
import { Busy } from "./busy.ts";
import { refusalCaching } from "./cache-control.ts";
import { sendText } from "./send.ts";

/** What a refusal is, as `X-Fw-Error` tells another service. */
export type ErrorKind = "denied" | "email-taken" | "status" | "internal";

/** An error as a visitor may know it. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  /** The policy that refused; absent where none did. */
  readonly policy?: string;
  /** What another service is told that it is; `status` by default. */
  readonly kind?: ErrorKind;
  /** JSON of what an error says besides its message; absent where that is nothing. */
  readonly detailsText?: string;
  /** Seconds after which the request may be made again; absent where that is not known. */
  readonly retryAfter?: number;
}

/** What a visitor may know of an error; undefined where that is nothing. */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!isStatusError(error)) return undefined;
  const { status, message, detailsText } = readable(error);
  if (typeof status !== "number" || typeof message !== "string") return undefined;
  if (!Number.isInteger(status) || status < 400 || status > 599) return undefined;
  const again = isA(error, Busy) ? { retryAfter: error.retryAfter } : {};
  const more = detailsText === undefined ? again : { ...again, detailsText };
  return { status, message, policy: usesPolicies ? policyOfRefusal(error) : "", kind: errorKindOf(error), ...more };
}

interface Readable {
  readonly status?: unknown;
  readonly message?: unknown;
  readonly detailsText?: string | undefined;
}

/** An object of somebody else's can carry the brand of an error with a status, and details can be what JSON cannot hold. */
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

/** Has the answer say when the request may be made again, where the refusal knows. */
export function setRetryAfter(request: Request, { retryAfter }: Refusal): void {
  if (retryAfter !== undefined) request.draft.addHeader("Retry-After", String(retryAfter));
}

/** Sends a refusal as JSON or as plain text. */
export function sendRefusal(
  request: Request,
  { status, message, detailsText }: Refusal,
  json: boolean,
  cacheControl: "no-cache" | "no-store" = refusalCaching(request, status),
): void {
  const headers = ["Cache-Control", cacheControl];
  if (json) return sendText(request, status, "application/json", headers, errorText(message, detailsText));
  sendText(request, status, "text/plain; charset=utf-8", headers, message);
}

/** The JSON of an error: a message, between services the policy that refused, and details that are JSON already. */
export function errorText(message: string, details: string | undefined, policy?: string): string {
  const text = JSON.stringify({ error: message, policy });
  return details === undefined ? text : `${text.slice(0, -1)},"details":${details}}`;
}

/** Refuses a method that the path does not answer, naming those it does. */
export function refuseMethod(request: Request, allowed: readonly string[]): void {
  request.draft.addHeader("Allow", allowed.join(", "));
  sendRefusal(request, { status: 405, message: messages.methodNotAllowed }, wantsJSON(request));
}

/** True where the answer is for a program: an API route, or no route and a client that does not ask for HTML. */
export function wantsJSON(request: Request): boolean {
  return request.endpoint === undefined ? !wantsHTML(request) : request.endpoint.kind !== "page";
}

/** True when the client names HTML among what it accepts, as browsers do when they go to a page. */
export function wantsHTML({ exchange }: Request): boolean {
  return exchange.header("accept")?.includes("text/html") ?? false;
}
