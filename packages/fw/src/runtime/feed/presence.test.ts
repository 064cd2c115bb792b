import { expect, test } from "vitest";
import { SteppedClock } from "../../platform/stepped-clock.ts";
import { Presence } from "./presence.ts";

test("the names of a process are renewed several at once, and before any expires", async () => {
  const clock = new SteppedClock(0);
  const expiries = new Map<string, number>();
  const failures: unknown[] = [];
  const store = {
    // Each write takes 100 ms.
    async upsert({ id }: { readonly id: string }, _fields: unknown, options?: { readonly expires?: Date }) {
      if (clock.now() > 0) await clock.sleep(100);
      expiries.set(id, options?.expires?.getTime() ?? 0);
      return "";
    },
  };
  const presence = new Presence({ store: () => store as never, clock, failed: (error) => failures.push(error) });
  for (let n = 0; n < 1_000; n++) await presence.join({ log: "a", name: `${n}` });
  await clock.advance(61_000);
  expect([...expiries.values()].filter((expires) => expires <= clock.now())).toEqual([]);
  expect(failures).toEqual([]);
});
