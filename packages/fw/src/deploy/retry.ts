import { CloudError } from "../platform/gcp/rest/cloud-error.ts";
import type { CloudRequest } from "../platform/gcp/rest/client.ts";
import { isSwitchedOff } from "./switched-off.ts";
import { backoff } from "../platform/gcp/rest/retry.ts";

/** What this deploy has made that Google's services learn of some time later. */
export type Fresh = "account" | "api" | "grant";

/** Milliseconds for all attempts of one call, and for whatever is awaited. */
export const budgetMs = 600_000;

const pauseMs = 500;
const pauseCeilingMs = 20_000;

/** Milliseconds before another attempt, between half of it and all of it. */
export function pauseOf(attempt: number, error?: CloudError): number {
  return Math.max(backoff(attempt, pauseMs, pauseCeilingMs), error?.retryAfter ?? 0);
}

const contention =
  /concurrent policy changes|too much contention|underlying data changed|cross-transaction contention/i;

/** Two changes at the same time, of which this one lost. */
export function isContention(error: unknown): boolean {
  return (
    error instanceof CloudError && error.status === 409 && (error.code === "ABORTED" || contention.test(error.said))
  );
}

/** Whether the same call may succeed some time later, and does no harm. */
export function isPassing(error: CloudError, request: CloudRequest, fresh: ReadonlySet<Fresh>): boolean {
  if (error.status === 429) return true;
  if (error.unknownEffect) return request.repeatable ?? request.method !== "POST";
  if (error.status === 0) return true;
  // A policy is read again before it is written again.
  if (isContention(error)) return !/iam(?:Policy)?$/i.test(request.path);
  // Whether an account of Google's own may be asked for does not depend on a grant of this deploy.
  return !request.path.endsWith(":generateServiceIdentity") && isPropagation(error, fresh);
}

/** What is refused only because it is new: an account, a grant, an API. */
function isPropagation(error: CloudError, fresh: ReadonlySet<Fresh>): boolean {
  const { status, said } = error;
  if (fresh.has("api") && status === 403 && (isSwitchedOff(error) || /has not been used|is disabled/i.test(said)))
    return true;
  if (fresh.has("grant") && status === 403) return true;
  if (!fresh.has("account")) return false;
  if (status === 400)
    return /service account.*(?:does not exist|invalid)|invalid service account|does not exist/i.test(said);
  return (status === 404 && /service ?account/i.test(said)) || (status === 403 && /actAs/i.test(said));
}
