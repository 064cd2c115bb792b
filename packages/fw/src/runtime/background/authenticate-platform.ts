import { StatusError } from "../../declare/errors.ts";
import { bearerToken } from "../access/bearer.ts";
import type { Headers } from "../exchange/exchange.ts";
import { messages } from "../error-messages.ts";
import { TaggedLogger, type LogSink } from "../observe/log.ts";

/** Knows whether a delivery or a trigger comes from the platform. */
export interface CallerVerifier {
  /** The service that the token must be made for. */
  readonly audience: string;
  /** The identity that may call. */
  readonly invoker: string;
  /**
   * True where it keeps with a dead message what its last delivery failed with; others hear of a failure only that
   * there was one.
   */
  readonly hearsReasons?: boolean;
  /** Why the token is not right, a phrase; undefined where it is. */
  verify(token: string): Promise<string | undefined>;
}

/** Where a call leads, for the log. */
interface Called {
  /** The consumer's or the cron's name. */
  readonly handler: string;
  readonly requestId: string;
}

/** Refuses with 403, and says why in the log, unless the request carries a token of the platform for this service. */
export async function requirePlatform(
  request: Headers,
  verifier: CallerVerifier | undefined,
  sink: LogSink,
  { handler, requestId }: Called,
): Promise<void> {
  const reason = await reasonAgainst(request, verifier);
  if (reason === undefined) return;
  new TaggedLogger(sink, { req: requestId, handler }).warn("a delivery was refused", {
    status: 403,
    reason,
    expected_audience: verifier?.audience ?? "",
    expected_invoker: verifier?.invoker ?? "",
  });
  throw new StatusError(403, messages.notThePlatform);
}

async function reasonAgainst(request: Headers, verifier: CallerVerifier | undefined): Promise<string | undefined> {
  if (verifier === undefined) return "this service takes no deliveries";
  if (request.header("authorization") === undefined) return "there is no token";
  const token = bearerToken(request);
  return token === undefined ? "the Authorization header is no bearer token" : verifier.verify(token);
}
