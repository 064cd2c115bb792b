import { expect, test } from "vitest";
import type { WatchedRequest } from "../../runtime/hooks.ts";
import { FailSafeWatcher } from "./fail-safe-watcher.ts";

test("a watcher that throws is not called again, and no request fails", () => {
  const calls: string[] = [];
  const failures: unknown[] = [];
  const watcher = new FailSafeWatcher(
    {
      requestBegan: () => calls.push("began"),
      requestEnded: (request) => {
        calls.push("ended");
        request.requestId.slice();
      },
      spanEnded: () => calls.push("span"),
    },
    (error) => failures.push(error),
  );
  // The service of an older build passes requests of another shape.
  const older = {} as WatchedRequest;

  watcher.requestBegan(older);
  watcher.requestEnded(older, 1, 200);
  watcher.requestBegan(older);
  watcher.requestEnded(older, 1, 200);

  expect(calls).toEqual(["began", "ended"]);
  expect(failures).toEqual([expect.any(TypeError)]);
});
