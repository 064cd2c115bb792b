import { StatusError } from "../../declare/errors.ts";
import { bearerToken } from "../access/bearer.ts";
import type { Headers } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import { TaggedLogger, type LogSink } from "../observe/log.ts";

/** Verifies that a delivery or a trigger comes from the platform. */
export interface CallerVerifier {
  /** The audience that the token must name: this service. */
  readonly audience: string;
  /** The only identity that may call this service. */
  readonly invoker: string;
  /**
   * True if dead letters store the reason for the last failure. Otherwise, the caller learns only that the delivery
   * failed.
   */
  readonly keepsFailureReasons?: boolean;
  /** Returns the reason why the token is invalid, as a phrase; undefined if it is valid. */
  verify(token: string): Promise<string | undefined>;
}

/** The parts of the log line about a refused call. */
interface CallTarget {
  /** The name of the consumer or cron. */
  readonly handler: string;
  readonly requestId: string;
}

/** Throws a 403 and logs the reason, unless the request has a token from the platform for this service. */
export async function requirePlatform(
  request: Headers,
  verifier: CallerVerifier | undefined,
  sink: LogSink,
  { handler, requestId }: CallTarget,
): Promise<void> {
  const reason = await reasonAgainst(request, verifier);
  if (reason === undefined) return;
  new TaggedLogger(sink, { req: requestId, handler }).warn("refused a call that is not from the platform", {
    status: 403,
    reason,
    expected_audience: verifier?.audience ?? "",
    expected_invoker: verifier?.invoker ?? "",
  });
  throw new StatusError(403, messages.notThePlatform);
}

async function reasonAgainst(request: Headers, verifier: CallerVerifier | undefined): Promise<string | undefined> {
  if (verifier === undefined) return "this service accepts no deliveries or triggers";
  if (request.header("authorization") === undefined) return "the request has no token";
  const token = bearerToken(request);
  return token === undefined ? "the Authorization header has no bearer token" : verifier.verify(token);
}
