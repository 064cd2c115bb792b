import { asError } from "../../lib/thrown.ts";
import { DeadlinePassed } from "../../platform/deadline.ts";
import type { BackgroundContext } from "./context.ts";

/**
 * Logs a failure of background work and notifies observers. `sentence` describes the failure; `route` names the work.
 */
export function reportFailure(
  ctx: BackgroundContext,
  {
    sentence,
    route,
    ...fields
  }: { readonly sentence: string; readonly route: string } & Readonly<Record<string, unknown>>,
  error: unknown,
): void {
  ctx.log.error(sentence, { ...fields, error: asError(error) });
  ctx.app.onFault?.({ error, requestId: ctx.requestId, route });
}

/**
 * Returns the status of failed background work for the metrics: 499 if anything but its deadline aborted it, otherwise
 * 500.
 */
export function failedStatus({ aborted, reason }: AbortSignal): number {
  return aborted && !(reason instanceof DeadlinePassed) ? 499 : 500;
}
