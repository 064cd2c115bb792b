import type { RequestWatcher } from "../../runtime/hooks.ts";

/**
 * Passes everything on until the watcher throws, and nothing after that, so that recording never makes a request fail.
 * The service of an older build may call a watcher of this version in another way. `onFailure` is called once.
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
