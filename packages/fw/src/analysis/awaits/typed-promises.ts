import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Checker } from "../checker/checker.ts";
import { lostPromiseFinding, notAwaited } from "../rules/calls/not-awaited.ts";
import { questionOf } from "../schema/type-reading.ts";
import type { UnclearPromise } from "./lost-promises.ts";

/** Asks TypeScript which calls of `forEach` return nothing, so that no code can wait for their callbacks. */
export async function typedPromises(
  checker: Checker,
  unclear: readonly UnclearPromise[],
  signal: AbortSignal | undefined,
): Promise<readonly Diagnostic[]> {
  if (unclear.length === 0 || signal?.aborted) return [];
  const types = await checker.texts(unclear.map(({ forEach: { module, node } }) => questionOf(module, node)));
  return unclear.flatMap(({ promise }, index) =>
    /^(?:void|undefined)(?: \| undefined)?$/.test(types[index] ?? "")
      ? [{ code: `fw/${notAwaited.id}`, ...lostPromiseFinding(promise) }]
      : [],
  );
}
