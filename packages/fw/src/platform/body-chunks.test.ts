import * as fc from "fast-check";
import { expect, test } from "vitest";
import { failure } from "./testing/conformance/fixture.ts";
import { streamOf } from "./testing/conformance/objects.ts";
import { tries } from "../lib/testing/tries.ts";
import { chunksOf, type Chunk } from "./body-chunks.ts";

const { signal } = new AbortController();

async function splitBody(parts: readonly string[], chunkBytes: number, maxSize = Infinity): Promise<Chunk[]> {
  const chunks: Chunk[] = [];
  for await (const chunk of chunksOf(streamOf(...parts), { chunkBytes, maxSize, signal })) chunks.push(chunk);
  return chunks;
}

test("however a body comes, its pieces are the body, all of one size but the last, which alone says so", async () => {
  const parts = fc.array(fc.string({ unit: fc.constantFrom("a", "é", "😀"), maxLength: 9 }), { maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(parts, fc.integer({ min: 1, max: 8 }), async (body, chunkBytes) => {
      const chunks = await splitBody(body, chunkBytes);
      expect(Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()).toBe(body.join(""));
      expect(chunks.map(({ last }) => last)).toEqual([...chunks.slice(1).map(() => false), true]);
      expect(chunks.slice(0, -1).every(({ bytes }) => bytes.byteLength === chunkBytes)).toBe(true);
      const rest = Number(chunks.at(-1)?.bytes.byteLength);
      expect(rest <= chunkBytes && (rest > 0 || chunks.length === 1)).toBe(true);
    }),
    { numRuns: tries(100) },
  );
});

test("a body may have as many bytes as it may, and not one more", async () => {
  expect(await splitBody(["12", "3"], 2, 3)).toHaveLength(2);
  expect(await failure(() => splitBody(["12", "34"], 2, 3))).toBe("too-large");
});
