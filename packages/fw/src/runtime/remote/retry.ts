import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import { remoteRetries } from "../../lib/limits.ts";
import type { CallBounds } from "./bounds.ts";
import { exchange, isSafe, Unanswered, type RemoteMessage } from "./exchange.ts";
import { locate } from "./transport.ts";

/** Milliseconds before a call that another service refused to connect is made again, at most; as many more before the second time. */
const remotePauseMs = 200;

/**
 * Sends a request until it is answered: again only where no byte of an answer came, and where running it twice does no harm, or it
 * is certain that it has not run. Rejects as `exchange` does.
 */
export async function answerTo(message: RemoteMessage, bounds: CallBounds): Promise<IncomingMessage> {
  const { services, service } = message;
  const token = async (): Promise<string> => services.tokenFor(service);
  const shown = await bounds.race(token());
  const answer = await answerWith(message, shown, bounds);
  if (!isTokenRefused(answer) || message.body.streams) return answer;
  // The keys that a kept token was signed with may be known no more.
  services.forgetToken?.(service, shown);
  const renewed = await bounds.race(token());
  if (renewed === shown) return answer;
  answer.resume();
  return answerWith(message, renewed, bounds);
}

/** Whether a platform that stands before the service does not know who calls. What the service says itself names its kind. */
function isTokenRefused({ statusCode, headers }: IncomingMessage): boolean {
  return statusCode === 401 && headers["x-fw-error"] === undefined && headers["x-fw-result"] === undefined;
}

async function answerWith(message: RemoteMessage, token: string, bounds: CallBounds): Promise<IncomingMessage> {
  const sent = { ...message, headers: { Authorization: `Bearer ${token}`, ...message.headers } };
  for (let retries = 0; ; retries++) {
    const place = await bounds.race(locate(message.services, message.service));
    try {
      // Pooled connections may all lead to an instance that has gone.
      return await exchange(place, sent, bounds, retries > 0);
    } catch (error) {
      if (!(error instanceof Unanswered) || error.begun || retries >= retriesOf(message, error)) throw error;
      await pause(retries, error);
    }
    bounds.check();
  }
}

/** A connection that was closed may have been an old one; a service that refuses or drops new ones needs a moment. */
async function pause(retries: number, { refused }: Unanswered): Promise<void> {
  if (refused || retries > 0) await setTimeout(remotePauseMs * (retries + 0.5 + Math.random() / 2));
}

function retriesOf({ method, body }: RemoteMessage, { mayHaveRun }: Unanswered): number {
  if (mayHaveRun && (!isSafe(method) || body.streams)) return 0;
  return isSafe(method) ? remoteRetries : 1;
}
