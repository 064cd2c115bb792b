import type { RequestWatcher } from "../../runtime/hooks.ts";

/**
 * Forwards calls until the watcher throws, then ignores them, so that recording never makes a request fail. A service
 * of an older build may call a watcher of this version differently. `onFailure` is called once.
 */
export function failSafeWatcher(watcher: RequestWatcher, onFailure: (error: unknown) => void): RequestWatcher {
  let failed = false;
  const guard =
    <A extends unknown[]>(call: (...values: A) => void) =>
    (...values: A): void => {
      if (failed) return;
      try {
        call(...values);
      } catch (error) {
        failed = true;
        onFailure(error);
      }
    };
  return {
    requestBegan: guard((request) => watcher.requestBegan(request)),
    requestEnded: guard((request, ms, status) => watcher.requestEnded(request, ms, status)),
    spanEnded: guard((span, operation) => watcher.spanEnded(span, operation)),
  };
}
