import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { CallBounds } from "./bounds.ts";
import { exchange, isSafe, Unanswered, type RemoteMessage } from "./exchange.ts";
import { locate } from "./transport.ts";

/** Limit: retries of a call to another service, if retrying is safe. */
const remoteRetries = 2;

/**
 * The maximum of the first pause before a refused connection is retried, in milliseconds. The second pause is longer by
 * this amount.
 */
const remotePauseMs = 200;

/**
 * Sends a request and retries while that is safe: no byte of a response has arrived, and the endpoint either has not
 * run or may run twice. If a platform refuses the token, also sends the request again with a new one, unless its body
 * is streamed. Rejects like `exchange`.
 */
export async function answerTo(message: RemoteMessage, bounds: CallBounds): Promise<IncomingMessage> {
  const { services, service } = message;
  const requestToken = async (): Promise<string> => services.tokenFor(service);
  const token = await bounds.race(requestToken());
  const answer = await answerWith(message, token, bounds);
  if (!isTokenRefused(answer) || message.body.streams) return answer;
  // The cached token may be signed with a key that has become invalid.
  services.forgetToken?.(service, token);
  const renewed = await bounds.race(requestToken());
  if (renewed === token) return answer;
  answer.resume();
  return answerWith(message, renewed, bounds);
}

/** True if a platform in front of the service rejected the token. The service's own refusals state their kind. */
function isTokenRefused({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 401 && headers["x-fw-error"] === undefined && headers["x-fw-result"] === undefined;
}

async function answerWith(message: RemoteMessage, token: string, bounds: CallBounds): Promise<IncomingMessage> {
  const request = { ...message, headers: { Authorization: `Bearer ${token}`, ...message.headers } };
  for (let retries = 0; ; retries++) {
    const place = await bounds.race(locate(message.services, message.service));
    try {
      // Retry on a new connection, because all pooled ones may lead to an instance that no longer exists.
      return await exchange(place, request, bounds, retries > 0);
    } catch (error) {
      if (!(error instanceof Unanswered) || error.hasPartialAnswer || retries >= retriesOf(message, error)) throw error;
      await pause(retries, error);
    }
    bounds.check();
  }
}

/**
 * Waits before a retry. Does not wait before the first one after a closed connection, which may simply have been stale.
 */
async function pause(retries: number, { wasRefused: refused }: Unanswered): Promise<void> {
  if (refused || retries > 0) await setTimeout(remotePauseMs * (retries + 0.5 + Math.random() / 2));
}

function retriesOf({ method, body }: RemoteMessage, { mayHaveRun }: Unanswered): number {
  if (mayHaveRun && (!isSafe(method) || body.streams)) return 0;
  return isSafe(method) ? remoteRetries : 1;
}
