import { expect, test } from "vitest";
import { mapConcurrently } from "./map-concurrently.ts";

test("32 items are processed at a time, and the results keep the order", async () => {
  const ends: (() => void)[] = [];
  const results = mapConcurrently(
    Array.from({ length: 40 }, (_, i) => i),
    (item) => new Promise<number>((resolve) => ends.push(() => resolve(item * 2))),
  );
  expect(ends).toHaveLength(32);
  // Completing an item starts the next one, which appends to the array.
  for (const end of ends) {
    end();
    await new Promise(setImmediate);
  }
  expect(await results).toEqual(Array.from({ length: 40 }, (_, i) => i * 2));
});
