import * as fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { Lease } from "../contract.ts";
import { SteppedClock } from "../stepped-clock.ts";
import { openLocal, type LocalPlatform } from "./open.ts";
import { scratch } from "../../lib/testing/scratch.ts";

/** Set `FW_TRIES=20` for a long run. */
const numRuns = 25 * Number(process.env["FW_TRIES"] ?? 1);
const day = 86_400_000;
const term = 15_000;

const steps = fc.array(
  fc.oneof(
    fc.record({ act: fc.constant("pass" as const), ms: fc.integer({ min: 0, max: 20_000 }) }),
    fc.record({ act: fc.constant("jump" as const), ms: fc.integer({ min: -2 * day, max: 2 * day }) }),
    fc.record({ act: fc.constantFrom("acquire", "renew", "release"), who: fc.nat(2) }),
  ),
  { maxLength: 40 },
);

test("however the clock jumps, a lease lasts for its term of real time and no longer, and has one holder", async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (run) => {
      const clock = new SteppedClock();
      const platform = await openOn(clock);
      const { leases } = platform;
      const leaseOf: (Lease | undefined)[] = [];
      let holder: { readonly who: number; readonly until: number } | undefined;
      for (const step of run) {
        if ("ms" in step) {
          if (step.act === "pass") await clock.advance(step.ms, async () => {});
          else clock.jump(step.ms);
          continue;
        }
        const { act, who } = step;
        const isHeld = holder !== undefined && holder.until > clock.elapsed();
        if (act === "acquire") {
          const lease = await leases.acquire("relay", term);
          expect(lease === undefined).toBe(isHeld);
          if (lease === undefined) continue;
          leaseOf[who] = lease;
          holder = { who, until: clock.elapsed() + term };
        } else if (act === "renew") {
          const renewed = await leaseOf[who]?.renew(term).catch(() => undefined);
          expect(renewed !== undefined).toBe(isHeld && holder?.who === who && leaseOf[who] !== undefined);
          if (renewed !== undefined) holder = { who, until: clock.elapsed() + term };
        } else {
          await leaseOf[who]?.release();
          if (holder?.who === who) holder = undefined;
          leaseOf[who] = undefined;
        }
      }
      await platform.close();
    }),
    { numRuns },
  );
});

test("the lease of a process that is gone ends within a minute, although the clock was set back by a day", async () => {
  const directory = await scratch();
  const before = new SteppedClock();
  const first = await openLocal(directory, { kinds: [] }, { clock: before });
  const lease = await first.leases.acquire("relay", term);
  await first.close();
  const clock = new SteppedClock(before.now() - day);
  const platform = await openLocal(directory, { kinds: [] }, { clock });
  const { leases } = platform;
  onTestFinished(() => platform.close());
  expect(await leases.acquire("relay", term)).toBeUndefined();
  await clock.advance(60_000);
  expect((await leases.acquire("relay", term))?.token).toBe((lease?.token ?? 0) + 1);
});

async function openOn(clock: SteppedClock): Promise<LocalPlatform> {
  return openLocal(await scratch(), { kinds: [] }, { clock, temporary: true });
}
