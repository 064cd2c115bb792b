import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

const units = "packages/{fw,fake-cloud}/src/**/*.test.ts";

/** What counts on being alone in its process: its memory, its file descriptors, its environment, the modules that it replaces. */
const alone = [
  "packages/fw/src/analysis/queries/unwalked.test.ts",
  "packages/fw/src/lib/post.test.ts",
  "packages/fw/src/platform/calls.test.ts",
  "packages/fw/src/runtime/auth/password-flood.test.ts",
  "packages/fw/src/runtime/body/multipart.test.ts",
  "packages/fw/src/runtime/secret.test.ts",
];

export default defineConfig({
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "processes",
          include: ["test/**/*.test.ts", ...alone],
          // Most of them wait for processes that they have started.
          maxWorkers: 3 * availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: "units",
          include: [units],
          exclude: alone,
          isolate: false,
          setupFiles: "test/setup/declaring.ts",
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
    globalSetup: ["test/setup/build.ts", "test/setup/chromium.ts"],
    // Bounds for what hangs; no test measures by them, so that a busy machine fails none.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000, interval: 5 } },
  },
});
