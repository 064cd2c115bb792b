import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import type { CallBounds } from "./bounds.ts";
import { exchange, isSafe, Unanswered, type RemoteMessage } from "./exchange.ts";
import { locate } from "./transport.ts";

/** Limit: retries of a call of another service, if they are safe. */
const remoteRetries = 2;

/**
 * The longest pause, in milliseconds, before a refused connection is tried again; the second pause is longer by this.
 */
const remotePauseMs = 200;

/**
 * Sends a request and retries while it is safe: no byte of an answer has arrived, and the endpoint either has not run
 * or can run twice. Rejects as `exchange` does.
 */
export async function answerTo(message: RemoteMessage, bounds: CallBounds): Promise<IncomingMessage> {
  const { services, service } = message;
  const requestToken = async (): Promise<string> => services.tokenFor(service);
  const token = await bounds.race(requestToken());
  const answer = await answerWith(message, token, bounds);
  if (!isTokenRefused(answer) || message.body.streams) return answer;
  // The cached token may be signed with a key that is no longer valid.
  services.forgetToken?.(service, token);
  const renewed = await bounds.race(requestToken());
  if (renewed === token) return answer;
  answer.resume();
  return answerWith(message, renewed, bounds);
}

/** True if a platform in front of the service rejected the token. Refusals of the service itself carry their kind. */
function isTokenRefused({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 401 && headers["x-fw-error"] === undefined && headers["x-fw-result"] === undefined;
}

async function answerWith(message: RemoteMessage, token: string, bounds: CallBounds): Promise<IncomingMessage> {
  const request = { ...message, headers: { Authorization: `Bearer ${token}`, ...message.headers } };
  for (let retries = 0; ; retries++) {
    const place = await bounds.race(locate(message.services, message.service));
    try {
      // All pooled connections may lead to an instance that is gone.
      return await exchange(place, request, bounds, retries > 0);
    } catch (error) {
      if (!(error instanceof Unanswered) || error.hasPartialAnswer || retries >= retriesOf(message, error)) throw error;
      await pause(retries, error);
    }
    bounds.check();
  }
}

/** Waits before a retry, except the first time after a closed connection, which may just have been an old one. */
async function pause(retries: number, { wasRefused: refused }: Unanswered): Promise<void> {
  if (refused || retries > 0) await setTimeout(remotePauseMs * (retries + 0.5 + Math.random() / 2));
}

function retriesOf({ method, body }: RemoteMessage, { mayHaveRun }: Unanswered): number {
  if (mayHaveRun && (!isSafe(method) || body.streams)) return 0;
  return isSafe(method) ? remoteRetries : 1;
}
