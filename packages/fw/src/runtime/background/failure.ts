import { asError } from "../../lib/thrown.ts";
import { DeadlinePassed } from "../../platform/deadline.ts";
import type { BackgroundContext } from "./context.ts";

/** Logs that work in the background failed and tells who watches. `sentence` says what failed, `route` whose work it was. */
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

/** What work that did not end well counts as: a failure, or that it was told to stop, for another reason than its deadline. */
export function failedStatus({ aborted, reason }: AbortSignal): number {
  return aborted && !(reason instanceof DeadlinePassed) ? 499 : 500;
}
