import { expect, test } from "vitest";
import { RunningRequests } from "../../console/recording/running-requests.ts";
import type { Bundle } from "../../runtime/bundle.ts";
import type { WatchedRequest } from "../../runtime/hooks.ts";
import { HandlerContexts } from "../../runtime/observe/outgoing/handler-contexts.ts";
import { withOwnRows } from "./own-rows.ts";

const code = (member: string): object => ({ declaration: { [member]: () => {} } });

test("what the console replaces to observe handlers is not in the bundle that the next version uses", () => {
  const bundle = deepFreeze({
    endpoints: [{ ...code("handler"), allow: code("decide") }, code("handler")],
    consumers: [code("handler")],
    crons: [code("handler")],
    singletons: [code("body")],
    authenticators: [code("handler"), {}],
    buckets: [{ declaration: {} }],
  }) as unknown as Bundle;
  const own = withOwnRows(bundle);
  const contexts = new HandlerContexts();
  contexts.begin();
  contexts.follow(own);
  for (const endpoint of own.endpoints)
    new RunningRequests().add({ endpoint, requestId: "1", watchedAs: -1 } as unknown as WatchedRequest, true);
  for (const list of ["endpoints", "consumers", "crons", "singletons"] as const)
    for (const [index, row] of (own[list] ?? []).entries())
      expect(row.declaration).not.toBe(bundle[list]?.[index]?.declaration);
  expect(own.endpoints[0]?.allow?.declaration).not.toBe(bundle.endpoints[0]?.allow?.declaration);
  expect(own.buckets).toBe(bundle.buckets);
});

/** Makes every assignment to a member throw. */
function deepFreeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) if (typeof member === "object") deepFreeze(member as object);
  return Object.freeze(value);
}
