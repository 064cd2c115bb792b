import { setTimeout } from "node:timers/promises";
import { cloudAttempts, cloudBudgetMs } from "../../../lib/limits.ts";
import { CloudError } from "./cloud-error.ts";

/** Milliseconds before the second attempt, at most; twice as many before each further one. */
const pauseMs = 100;

/** Milliseconds between two attempts, at most. */
const pauseCeilingMs = 5_000;

/** Attempts that may fail before no request is made again, when nothing succeeds. */
const retryTokens = 100;

/** How much of a retry each success gives back. */
const retryShare = 0.5;

/** What may be made again: without it nothing that may have been carried out is. */
export interface Repeatable {
  readonly repeatable: boolean;
  /** Further errors after which the request may be made again. */
  readonly alsoRetry?: ((error: CloudError) => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly triesUntil?: AbortSignal | undefined;
}

/** How a wait ends that tests control. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>;

const sleepFor: Sleep = (milliseconds, signal) => setTimeout(milliseconds, undefined, signal && { signal });

/**
 * Makes requests again that failed for a moment. All requests of a process share one budget, so that a service that is down is not
 * asked many times as often as one that is up.
 */
export class Retries {
  #tokens = retryTokens;
  readonly #sleep: Sleep;

  constructor(sleep: Sleep = sleepFor) {
    this.#sleep = sleep;
  }

  /** Does what a request asks for until it succeeds, or is not to be made again. Rejects with a CloudError. */
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

  /** Resolves after the pause when the request is to be made again, and rejects with the error otherwise. */
  async pause(error: CloudError, attempt: number, since: number, request: Repeatable): Promise<void> {
    const { signal, triesUntil } = request;
    this.#tokens = Math.max(0, this.#tokens - 1);
    const wait = Math.max(backoff(attempt), error.retryAfter ?? 0);
    const left = cloudBudgetMs - (performance.now() - since);
    const isLast = attempt >= cloudAttempts || triesUntil?.aborted === true;
    if (!isPassing(error, request) || isLast || wait > left || this.#tokens === 0) throw error;
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

/** Whether the same request may succeed a moment later, and does no harm. */
function isPassing(error: CloudError, { repeatable, alsoRetry }: Repeatable): boolean {
  if (alsoRetry?.(error)) return true;
  if (error.status === 429) return true;
  if (error.unknownEffect && !repeatable) return false;
  return error.status === 0 || [500, 502, 503, 504].includes(error.status);
}

/** Between half of it and all of it, so that requests that failed together do not come back together. */
export function backoff(attempt: number, first: number = pauseMs, ceiling: number = pauseCeilingMs): number {
  return Math.min(ceiling, first * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}
