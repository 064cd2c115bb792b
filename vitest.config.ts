import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { ProcessesFirst } from "./test/setup/order.ts";

/** Units that replace modules, the environment or the process's own limits, which must reach no other file. */
const alone = ["platform/calls", "runtime/auth/password-flood", "runtime/body/multipart", "runtime/secret"].map(
  (file) => `packages/fw/src/${file}.test.ts`,
);

// Bounds for what hangs; no test measures by them, so that a busy machine fails none.
const patience = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 240_000, interval: 5 } },
};

export default defineConfig({
  test: {
    projects: [
      // Units share their modules, which takes half their time; what starts processes shares nothing.
      {
        test: {
          ...patience,
          name: "units",
          include: ["packages/fw/src/**/*.test.ts"],
          exclude: alone,
          isolate: false,
        },
      },
      { test: { ...patience, name: "application", include: ["test/**/*.test.ts", ...alone] } },
    ],
    globalSetup: ["test/setup/build.ts", "test/setup/chromium.ts"],
    // One more than there are processors: many tests wait for processes that they have started.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: ProcessesFirst },
  },
});
