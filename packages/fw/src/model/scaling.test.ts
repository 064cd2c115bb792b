import * as fc from "fast-check";
import { expect, test } from "vitest";
import { profileNames, type Pins } from "./pins.ts";
import { isCpu, memoryFor, profiles, resolveScaling } from "./scaling.ts";

const pins: fc.Arbitrary<Pins> = fc.record(
  {
    profile: fc.constantFrom(...profileNames),
    cpu: fc.constantFrom(0.08, 0.25, 0.5, 0.99, 1, 2, 4, 6, 8),
    minInstances: fc.integer({ min: 0, max: 300 }),
  },
  { requiredKeys: [] },
);

const kinds = fc.constantFrom("app", "worker", "subscribe", "runner", "singleton");

test("whatever cpu and minInstances are pinned, the rest goes with them", () => {
  fc.assert(
    fc.property(kinds, pins, (kind, pinned) => {
      const { footprint, traffic } = resolveScaling(kind, pinned);
      const [least, most] = memoryFor(kind, footprint.cpu);
      expect(isCpu(footprint.cpu)).toBe(true);
      expect(footprint.memory).toBeGreaterThanOrEqual(least);
      expect(footprint.memory).toBeLessThanOrEqual(most);
      if (traffic === undefined) return;
      expect(traffic.minInstances).toBeLessThanOrEqual(traffic.maxInstances);
      expect(footprint.cpu >= 1 || traffic.concurrency === 1).toBe(true);
    }),
  );
});

test("whatever memory is pinned, an instance with enough cpu for it is chosen", () => {
  fc.assert(
    fc.property(
      kinds,
      fc.constantFrom(...profileNames),
      fc.integer({ min: 512, max: 32_768 }),
      (kind, profile, memory) => {
        const { footprint } = resolveScaling(kind, { profile, memory });
        expect(footprint.memory).toBe(memory);
        expect(memoryFor(kind, footprint.cpu)[1]).toBeGreaterThanOrEqual(memory);
      },
    ),
  );
});

test("the default profile scales to zero", () => {
  expect(resolveScaling("app", {}).traffic).toEqual({
    minInstances: 0,
    maxInstances: 100,
    concurrency: 80,
    timeout: 300_000,
  });
  expect(profiles.default.minInstances).toBe(0);
});
