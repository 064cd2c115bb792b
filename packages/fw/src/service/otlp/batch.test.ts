import { expect, test } from "vitest";
import { Batch } from "./batch.ts";

// The numbers in docs/limits.md, not the constants: a test that imports the constants would accept any change.
const telemetryBatch = 512;
const telemetryWaiting = 4_096;

interface SentBatch {
  readonly sizes: number[];
  readonly sentences: string[];
  readonly batch: Batch;
  /** True if the collector accepts exports. */
  works: boolean;
}

function bench(): SentBatch {
  const sent: SentBatch = {
    sizes: [],
    sentences: [],
    works: true,
    batch: new Batch(
      "traces",
      {
        export(data, done) {
          sent.sizes.push(data.length);
          setImmediate(() => done(sent.works ? { code: 0 } : { code: 1, error: new Error("refused") }));
        },
        shutdown: async () => {},
      },
      (sentence) => sent.sentences.push(sentence),
    ),
  };
  return sent;
}

test("what happens is sent together, and the rest at the end", async () => {
  const { batch, sizes } = bench();
  for (let each = 0; each < telemetryBatch + 3; each++) batch.add({});
  await batch.flush();
  expect(sizes).toEqual([telemetryBatch, 3]);
});

test("the queue for a collector is bounded, and losses are reported", async () => {
  const { batch, sizes, sentences } = bench();
  for (let each = 0; each < telemetryWaiting * 2; each++) batch.add({});
  await batch.flush();
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(telemetryWaiting + telemetryBatch);
  expect(sentences).toEqual(["traces are exported again; some were lost"]);
});

test("a collector that fails is told once until it works", async () => {
  const sent = bench();
  sent.works = false;
  for (let each = 0; each < 3; each++) {
    sent.batch.add({});
    await sent.batch.flush();
  }
  sent.works = true;
  sent.batch.add({});
  await sent.batch.flush();
  expect(sent.sentences).toEqual([
    "traces could not be exported and are lost until the collector accepts them",
    "traces are exported again; some were lost",
  ]);
});
