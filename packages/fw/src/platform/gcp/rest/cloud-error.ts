import { STATUS_CODES } from "node:http";

/** What an API of Google refused, or that it gave no answer. */
export class CloudError extends Error {
  /** Of the answer; 0 where there was none. */
  readonly status: number;
  /** `NOT_FOUND`, `ABORTED` …, or `UNREACHABLE` where there was no answer. */
  readonly code: string;
  /** True where it is not known whether the request was carried out. */
  readonly unknownEffect: boolean;
  /** What Google gives as the reason besides: `CONFIGURATION_NOT_FOUND`, `conditionNotMet` …; "" where it gives none. */
  readonly reason: string;
  /** Google's own sentence; "" where there is none. */
  readonly said: string;
  /** Milliseconds after which the request may be made again, where the answer says so. */
  readonly retryAfter: number | undefined;

  constructor(message: string, facts: CloudErrorFacts, options?: ErrorOptions) {
    super(message, options);
    this.name = "CloudError";
    this.status = facts.status;
    this.code = facts.code;
    this.unknownEffect = facts.unknownEffect;
    this.reason = facts.reason ?? "";
    this.said = facts.said ?? "";
    this.retryAfter = facts.retryAfter;
  }
}

interface CloudErrorFacts {
  readonly status: number;
  readonly code: string;
  readonly unknownEffect: boolean;
  readonly reason?: string;
  readonly said?: string | undefined;
  readonly retryAfter?: number | undefined;
}

/** What an answer with an error says. */
export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** The error that an answer is. `request` names the request in the message. */
export function refusedError(request: string, refusal: Refusal): CloudError {
  const { status } = refusal;
  const said = readError(refusal.text);
  const code = said.status ?? codes[status] ?? "UNKNOWN";
  const reason = said.reason ?? "";
  const message = `${request}: ${status} ${code}: ${said.message ?? shortened(refusal)}`;
  // What a server gave up on, or a gateway before it, may have been done.
  const unknownEffect = status >= 500 && status !== 501 && code !== "UNIMPLEMENTED";
  const retryAfter = retryAfterOf(refusal);
  return new CloudError(message, { status, code, reason, said: said.message, unknownEffect, retryAfter });
}

/** The error of a request that had no answer. */
export function unansweredError(request: string, cause: Error, unknownEffect: boolean): CloudError {
  const effect = unknownEffect ? "; whether it was carried out is not known" : "";
  const message = `${request}: no answer (${cause.message})${effect}`;
  return new CloudError(message, { status: 0, code: "UNREACHABLE", unknownEffect }, { cause });
}

/** The codes of answers that have none, as those of Cloud Storage. */
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

interface Said {
  readonly status?: string | undefined;
  readonly message?: string | undefined;
  readonly reason?: string | undefined;
}

function readError(text: string): Said {
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

/** A gateway answers with a page, and a HEAD has no body. */
function shortened({ status, text }: Refusal): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line === "" ? (STATUS_CODES[status] ?? "no message") : line.slice(0, 200);
}

function retryAfterOf({ headers }: Refusal): number | undefined {
  const value = headers["retry-after"];
  if (typeof value !== "string") return undefined;
  const seconds = Number(value);
  const milliseconds = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1000;
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}
