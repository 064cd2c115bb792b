import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { ProcessesFirst } from "./test/setup/order.ts";

export default defineConfig({
  test: {
    include: ["packages/fw/src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/setup/build.ts", "test/setup/chromium.ts"],
    // One more than there are processors: many tests wait for processes that they have started.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: ProcessesFirst },
    // Bounds for what hangs; no test measures by them, so that a busy machine fails none.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000, interval: 5 } },
  },
});
