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
import type { ErrorAnswer, ErrorShapeDeclaration } from "../../declare/error-shape.ts";
import { packageOf } from "../application.ts";
import { reportFault } from "./fault.ts";

/** The kind of a refusal, sent to calling services in `X-Fw-Error`. */
export type ErrorKind = "denied" | "email-taken" | "status" | "internal";

/** The parts of an error that clients may see. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly policy?: string;
  /** The kind, for calling services; `status` by default. */
  readonly kind?: ErrorKind;
  /** The error's details as JSON; absent if it has none. */
  readonly detailsText?: string;
  /** Seconds after which the request may be retried; absent if unknown. */
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
 * Reads the members of an error; {} if that throws, because objects from other code may be branded as a StatusError and
 * details may not be encodable as JSON.
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

/** Sets the Retry-After header if the refusal says when to retry. */
export function setRetryAfter(request: Request, { retryAfter }: Refusal): void {
  if (retryAfter !== undefined) request.draft.addHeader("Retry-After", String(retryAfter));
}

/** Sends a refusal as JSON, in the application's error shape if it has one, or as plain text. */
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

/** Encodes an error as JSON: its message, the encoded `details` and, for calling services, the policy that refused. */
export function errorText(message: string, details: string | undefined, policy?: string): string {
  const text = JSON.stringify({ error: message, policy });
  return details === undefined ? text : `${text.slice(0, -1)},"details":${details}}`;
}

/** Responds with 405 and lists the methods that the path allows. */
export function refuseMethod(request: Request, allowed: readonly string[]): void {
  request.draft.addHeader("Allow", allowed.join(", "));
  sendRefusal(request, { status: 405, message: messages.methodNotAllowed }, wantsJSON(request));
}

/**
 * True if a program expects the response: on a route other than a page's or, without a route, if the client does not
 * accept HTML.
 */
export function wantsJSON(request: Request): boolean {
  return request.endpoint === undefined ? !wantsHTML(request) : request.endpoint.kind !== "page";
}

/** True if the client lists HTML in Accept, as browsers do when navigating. */
export function wantsHTML({ exchange }: Request): boolean {
  return exchange.header("accept")?.includes("text/html") ?? false;
}

/** The parts of a refusal that an error shape receives. */
type ShownRefusal = Pick<Refusal, "status" | "message" | "policy" | "detailsText">;

/**
 * Returns the error shape of the endpoint's package. For an unsupported method, uses another endpoint at the path.
 * Undefined for the framework's paths and for paths without a route.
 */
function errorShapeOf(request: Request): ErrorShapeDeclaration | undefined {
  const { app, endpoint = endpointAt(request), injected } = request;
  return endpoint === undefined || injected ? undefined : packageOf(app, endpoint)?.errors;
}

function endpointAt({ app: { bundle }, path }: Request): Request["endpoint"] {
  for (const method of bundle.methods) {
    const endpoint = bundle.endpoints[bundle.match(method, path, [])];
    if (endpoint !== undefined) return endpoint;
  }
  return undefined;
}

/** Encodes an error in the application's error shape. If the shape fails, logs its error and returns undefined. */
function shapedErrorText(
  request: Request,
  { handler }: ErrorShapeDeclaration,
  refusal: ShownRefusal,
): string | undefined {
  try {
    return exactText(handler(answerOf(refusal)));
  } catch (error) {
    reportFault(request, error);
    return undefined;
  }
}

function answerOf({ status, message, policy = "", detailsText }: ShownRefusal): ErrorAnswer {
  const details: unknown = detailsText === undefined ? undefined : JSON.parse(detailsText);
  return { status, message, policy, details, problems: problemsIn(details) ?? firstProblem(status, message) };
}

function problemsIn(details: unknown): ErrorAnswer["problems"] | undefined {
  if (typeof details !== "object" || details === null || !("problems" in details)) return undefined;
  return Array.isArray(details.problems) ? (details.problems as ErrorAnswer["problems"]) : undefined;
}

/**
 * Parses the problem in the message of a 400, because a single problem may be named only there; empty for other
 * messages.
 */
function firstProblem(status: number, message: string): ErrorAnswer["problems"] {
  const [, at, problem] = /^((?:path|query|form|header|cookie|body)(?: .+?)?): (.+)$/s.exec(message) ?? [];
  return status !== 400 || at === undefined || problem === undefined ? [] : [{ at, problem }];
}
