/** The codes of `google.rpc.Code` with their HTTP statuses. */
export const statuses = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  OUT_OF_RANGE: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNIMPLEMENTED: 501,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
} as const;

export type Code = keyof typeof statuses;

interface RefusalOptions {
  readonly details?: readonly unknown[];
  /** An API's HTTP status and reason, if they are more specific than the code. */
  readonly status?: number;
  readonly reason?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An error response. */
export class Refusal extends Error {
  readonly code: Code;
  readonly status: number;
  readonly details: readonly unknown[] | undefined;
  readonly reason: string | undefined;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: Code, message: string, options: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.status = options.status ?? statuses[code];
    this.details = options.details;
    this.reason = options.reason;
    this.headers = options.headers ?? {};
  }
}

/** An API's error format: `status` for most APIs, `errors` for older ones. */
export type ErrorStyle = "status" | "errors";

/** Returns the body of an error response. */
export function errorBody({ status, message, code, details, reason }: Refusal, style: ErrorStyle): unknown {
  if (style === "status") return { error: { code: status, message, status: code, ...(details && { details }) } };
  const word = reason ?? reasons[status] ?? "backendError";
  return { error: { code: status, message, errors: [{ message, domain: "global", reason: word }] } };
}

const reasons: Readonly<Record<number, string>> = {
  400: "invalid",
  401: "required",
  403: "forbidden",
  404: "notFound",
  409: "conflict",
  412: "conditionNotMet",
  429: "rateLimitExceeded",
};

/** Returns the refusal of a request that contradicts the discovery document. */
export function badRequest(violations: readonly Violation[]): Refusal {
  return new Refusal("INVALID_ARGUMENT", violations.map(({ description }) => description).join("\n"), {
    details: [{ "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: violations }],
  });
}

export interface Violation {
  readonly field?: string;
  readonly description: string;
}

export function invalid(message: string): Refusal {
  return new Refusal("INVALID_ARGUMENT", message);
}

/** Creates a refusal with an API's own status and reason. Its code fits only 400, 403 and 404. */
export function refused(
  status: number,
  message: string,
  reason: string,
  headers: RefusalOptions["headers"] = {},
): Refusal {
  const code = status === 404 ? "NOT_FOUND" : status === 403 ? "PERMISSION_DENIED" : "FAILED_PRECONDITION";
  return new Refusal(code, message, { status, reason, headers });
}
