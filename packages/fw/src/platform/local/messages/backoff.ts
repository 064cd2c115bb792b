import type { DeliveryPolicy } from "../../messages.ts";

/**
 * Milliseconds between a failed delivery and the next: `minBackoff` doubled for each delivery before it, and at random up to
 * half as much again, so that messages that failed together do not come back together; `maxBackoff` at most. `random` is from
 * 0 to 1.
 */
export function backoff(
  policy: Pick<DeliveryPolicy, "minBackoff" | "maxBackoff">,
  attempt: number,
  random: number,
): number {
  const longest = Math.min(policy.maxBackoff, policy.minBackoff * 2 ** (attempt - 1) * 1.5);
  const shortest = Math.max(Math.min(policy.minBackoff, longest), longest / 1.5);
  return Math.round(shortest + random * (longest - shortest));
}
