import type { Diagnostic } from "../../model/diagnostic.ts";
import type { Checker } from "../checker/checker.ts";
import { lostPromiseFinding, notAwaited } from "../rules/calls/not-awaited.ts";
import { questionOf } from "../schema/type-reading.ts";
import type { UnclearPromise } from "./lost-promises.ts";

/** Reports the promises inside a `forEach` that returns nothing, according to TypeScript: no code can wait for them. */
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
