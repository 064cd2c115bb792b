import { setTimeout } from "node:timers/promises";
import { CloudError } from "./cloud-error.ts";

/** Limit: attempts at a call to Google that fails temporarily. */
const cloudAttempts = 5;

/** Limit: milliseconds after which a temporarily failing call to Google is no longer retried. */
const cloudBudgetMs = 20_000;

/** Upper bound of the pause before the second attempt, in milliseconds. Doubles with each further attempt. */
const pauseMs = 100;

/** Upper bound of any pause, in milliseconds. */
const pauseCeilingMs = 5_000;

/** The retry budget: the number of failures without an intervening success after which retries stop. */
const retryTokens = 100;

/** The share of a retry that each success restores. */
const retryShare = 0.5;

/** A request's retry settings. A request with an unknown outcome is retried only if it is `repeatable`. */
export interface Repeatable {
  readonly repeatable: boolean;
  /** Returns whether to retry after other errors as well. */
  readonly alsoRetry?: ((error: CloudError) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly triesUntil?: AbortSignal | undefined;
}

/** A delay that tests can control. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

const sleepFor: Sleep = (milliseconds, signal) => setTimeout(milliseconds, undefined, signal && { signal });

/**
 * Retries requests after transient errors. All requests that use the same `Retries` share one budget, so that an outage
 * does not multiply the load.
 */
export class Retries {
  #tokens = retryTokens;
  readonly #sleep: Sleep;

  constructor(sleep: Sleep = sleepFor) {
    this.#sleep = sleep;
  }

  /** Runs a request until it succeeds or must not be retried. Rejects with its last error or the signal's reason. */
  async repeat<T>(request: Repeatable, once: () => Promise<T>): Promise<T> {
    const since = performance.now();
    for (let attempt = 1; ; attempt++) {
      try {
        const result = await once();
        this.succeeded();
        return result;
      } catch (error) {
        if (!(error instanceof CloudError)) throw error;
        await this.pause(error, attempt, since, request);
      }
    }
  }

  /**
   * Resolves after the pause if the request may be retried; otherwise rejects with the error or the signal's reason.
   */
  async pause(error: CloudError, attempt: number, since: number, request: Repeatable): Promise<void> {
    const { signal, triesUntil } = request;
    this.#tokens = Math.max(0, this.#tokens - 1);
    const wait = Math.max(backoff(attempt), error.retryAfter ?? 0);
    const remaining = cloudBudgetMs - (performance.now() - since);
    const isLast = attempt >= cloudAttempts || triesUntil?.aborted === true;
    if (!isTransient(error, request) || isLast || wait > remaining || this.#tokens === 0) throw error;
    try {
      await this.#sleep(wait, signal ?? triesUntil);
    } catch (ended) {
      if (signal?.aborted) throw signal.reason;
      throw triesUntil?.aborted ? error : ended;
    }
  }

  succeeded(): void {
    this.#tokens = Math.min(retryTokens, this.#tokens + retryShare);
  }
}

/** Whether a retry may succeed and is safe. */
function isTransient(error: CloudError, { repeatable, alsoRetry }: Repeatable): boolean {
  if (alsoRetry?.(error)) return true;
  if (error.status === 429) return true;
  if (error.unknownEffect && !repeatable) return false;
  return error.status === 0 || [500, 502, 503, 504].includes(error.status);
}

/** Returns the pause after an attempt: exponential backoff with up to 50% jitter, so that retries spread out. */
export function backoff(attempt: number, first: number = pauseMs, ceiling: number = pauseCeilingMs): number {
  return Math.min(ceiling, first * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}
