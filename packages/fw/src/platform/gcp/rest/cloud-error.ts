import { STATUS_CODES } from "node:http";

/** An error response from a Google API, or a missing response. */
export class CloudError extends Error {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  /** `NOT_FOUND`, `ABORTED` …, or `UNREACHABLE` without a response. */
  readonly code: string;
  /** True if the request may or may not have taken effect. */
  readonly unknownEffect: boolean;
  /** Google's machine-readable reason: `CONFIGURATION_NOT_FOUND`, `conditionNotMet` …; "" if there is none. */
  readonly reason: string;
  /** Google's message; "" if there is none. */
  readonly serverMessage: string;
  /** Milliseconds to wait before a retry, if the response specifies them. */
  readonly retryAfter: number | undefined;

  constructor(message: string, facts: CloudErrorFacts, options?: ErrorOptions) {
    super(message, options);
    this.name = "CloudError";
    this.status = facts.status;
    this.code = facts.code;
    this.unknownEffect = facts.unknownEffect;
    this.reason = facts.reason ?? "";
    this.serverMessage = facts.serverMessage ?? "";
    this.retryAfter = facts.retryAfter;
  }
}

interface CloudErrorFacts {
  readonly status: number;
  readonly code: string;
  readonly unknownEffect: boolean;
  readonly reason?: string;
  readonly serverMessage?: string | undefined;
  readonly retryAfter?: number | undefined;
}

export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Creates the error for an error response. `request` names the request in the message. */
export function refusedError(request: string, refusal: ErrorResponse): CloudError {
  const { status } = refusal;
  const body = readError(refusal.text);
  const code = body.status ?? codes[status] ?? "UNKNOWN";
  const reason = body.reason ?? "";
  const message = `${request}: ${status} ${code}: ${body.message ?? shortened(refusal)}`;
  // If a server or a gateway in front of it fails, the request may still have been executed.
  const unknownEffect = status >= 500 && status !== 501 && code !== "UNIMPLEMENTED";
  const retryAfter = retryAfterOf(refusal);
  return new CloudError(message, { status, code, reason, serverMessage: body.message, unknownEffect, retryAfter });
}

/** Creates the error for a request without a response. */
export function unansweredError(request: string, cause: Error, unknownEffect: boolean): CloudError {
  const effect = unknownEffect ? "; its outcome is unknown" : "";
  const message = `${request}: no response (${cause.message})${effect}`;
  return new CloudError(message, { status: 0, code: "UNREACHABLE", unknownEffect }, { cause });
}

/** Codes for responses that contain none, such as Cloud Storage's. */
const codes: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  409: "ALREADY_EXISTS",
  412: "FAILED_PRECONDITION",
  413: "INVALID_ARGUMENT",
  416: "OUT_OF_RANGE",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELLED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

interface ErrorBody {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
}

function readError(text: string): ErrorBody {
  try {
    const { error } = JSON.parse(text) as { error?: GoogleError | string; error_description?: string };
    if (typeof error !== "object") return { message: error };
    const reason = error.details?.find((detail) => detail.reason !== undefined)?.reason ?? error.errors?.[0]?.reason;
    return { status: error.status, message: error.message, reason };
  } catch {
    return {};
  }
}

interface GoogleError {
  readonly status?: string;
  readonly message?: string;
  readonly details?: readonly { readonly reason?: string }[];
  readonly errors?: readonly { readonly reason?: string }[];
}

/**
 * Shortens a response that has no error message, such as a gateway's error page. Describes the status if the response
 * is empty, as for HEAD requests.
 */
function shortened({ status, text }: ErrorResponse): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" ? (STATUS_CODES[status] ?? "no message") : line.slice(0, 200);
}

function retryAfterOf({ headers }: ErrorResponse): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  const seconds = Number(value);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}
