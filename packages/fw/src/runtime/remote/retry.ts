import type { IncomingMessage } from "node:http";
import { setTimeout } from "node:timers/promises";
import { remotePauseMs, remoteRetries } from "../../lib/limits.ts";
import type { CallBounds } from "./bounds.ts";
import { exchange, isSafe, Unanswered, type RemoteMessage } from "./exchange.ts";

/**
 * Sends a request until it is answered: again only where no byte of an answer came, and where running it twice does no harm, or it
 * is certain that it has not run. Rejects as `exchange` does.
 */
export async function answerTo(message: RemoteMessage, bounds: CallBounds): Promise<IncomingMessage> {
  for (let retries = 0; ; retries++) {
    try {
      // Pooled connections may all lead to an instance that has gone.
      return await exchange(message, bounds, retries > 0);
    } catch (error) {
      if (!(error instanceof Unanswered) || error.begun || retries >= retriesOf(message, error)) throw error;
    }
    await setTimeout(remotePauseMs * (retries + Math.random()));
    bounds.check();
  }
}

function retriesOf({ method, body }: RemoteMessage, { mayHaveRun }: Unanswered): number {
  if (mayHaveRun && (!isSafe(method) || body.streams)) return 0;
  return isSafe(method) ? remoteRetries : 1;
}
