import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import type { CloudRequest } from "../platform/gcp/rest/client.ts";
import { backoff } from "../platform/gcp/rest/retry.ts";

/** The time limit in milliseconds for all attempts of a call, and for each condition that a deploy waits for. */
export const budgetMs = 600_000;

/** Milliseconds before a silent wait is reported. */
export const silentMs = 5_000;

const pauseMs = 500;
const pauseCeilingMs = 20_000;

/** Returns the milliseconds before the next attempt, with up to 50% jitter, but at least the response's Retry-After. */
export function pauseOf(attempt: number, error?: CloudError): number {
  return Math.max(backoff(attempt, pauseMs, pauseCeilingMs), error?.retryAfter ?? 0);
}

const contention =
  /concurrent policy changes|too much contention|underlying data changed|cross-transaction contention/i;

/** True if the call failed because of a concurrent change. */
export function isContention(error: unknown): boolean {
  return (
    error instanceof CloudError &&
    error.status === 409 &&
    (error.code === "ABORTED" || contention.test(error.serverMessage))
  );
}

/** Returns why a retry is safe and may succeed, regardless of this deploy's changes; otherwise undefined. */
export function transientReason(error: CloudError, request: CloudRequest): string | undefined {
  const { api, method, path, repeatable = method !== "POST" } = request;
  if (error.status === 429) return `the quota of the ${api} API is used up (429)`;
  if (error.unknownEffect && !repeatable) return undefined;
  if (error.unknownEffect || error.status === 0)
    return `the ${api} API does not respond${error.status === 0 ? "" : ` (${error.status})`}`;
  // A policy or a document must be read again before it is written again.
  const isConditional = /:(?:setIamPolicy|commit)$/.test(path) || (method === "PUT" && path.endsWith("/iam"));
  return isContention(error) && !isConditional ? `another change is in progress at the ${api} API` : undefined;
}
