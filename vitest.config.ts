import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const units = "packages/{fw,fake-cloud}/src/**/*.test.ts";

/** What counts on being alone in its process: its memory, its file descriptors, its environment, the modules that it replaces. */
const alone = [
  "packages/fw/src/analysis/queries/entity-uses.test.ts",
  "packages/fw/src/lib/post.test.ts",
  "packages/fw/src/platform/calls.test.ts",
  "packages/fw/src/runtime/auth/password-flood.test.ts",
  "packages/fw/src/runtime/body/multipart.test.ts",
  "packages/fw/src/runtime/secrets.test.ts",
];

/** What takes longest from its first test to its last: begun last, each would be waited for with processors that have nothing to do. */
const longest =
  /\btest\/(?:background|build|chaos|deploy|dev-browser|dev-loop|dev-process|example-tests|fw-logs|fw-test|new|serve|services-dev|telemetry)\.test\.ts$/;

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's own, not that of a list
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => Number(isLong(other)) - Number(isLong(one)));
  }
}

function isLong({ moduleId }: TestSpecification): boolean {
  return longest.test(moduleId);
}

/** Of every project. Bounds are for what hangs; no test measures by them, so that a busy machine fails none. */
const everywhere = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 240_000, interval: 5 } },
  // TypeScript's servers that tests start end before their garbage is worth collecting.
  env: { GOGC: "400" },
} as const;

export default defineConfig({
  test: {
    // The run's own: a project that took it from here would have everything built again.
    globalSetup: ["test/setup/build.ts", "test/setup/chromium.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          ...everywhere,
          name: "processes",
          include: ["test/**/*.test.ts"],
          isolate: false,
          // Most of them wait for processes that they have started.
          maxWorkers: 3 * availableParallelism(),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...everywhere,
          name: "alone",
          include: alone,
          maxWorkers: availableParallelism() + 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...everywhere,
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
  },
});
