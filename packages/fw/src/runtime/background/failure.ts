import { asError } from "../../lib/thrown.ts";
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
