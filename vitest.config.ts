import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { builtModules, compiledModules } from "./test/setup/built-modules.ts";

const units = "packages/{fw,fake-cloud}/src/**/*.test.ts";

/**
 * Files that need a process of their own, because they depend on its memory, file descriptors or environment, or
 * replace modules.
 */
const alone = [
  "packages/fw/src/analysis/queries/entity-uses.test.ts",
  "packages/fw/src/lib/post.test.ts",
  "packages/fw/src/lib/windows-paths.test.ts",
  "packages/fw/src/platform/calls.test.ts",
  "packages/fw/src/runtime/auth/password-flood.test.ts",
  "packages/fw/src/runtime/body/multipart.test.ts",
  "packages/fw/src/runtime/request-path.test.ts",
  "packages/fw/src/runtime/secrets.test.ts",
];

/** The slowest files. They start first, so that no processor idles at the end of a run. */
const longest =
  /\btest\/(?:background|build|chaos|client|console|deploy|dev-browser|dev-loop|dev-process|documented-answers|entity-data|example-tests|fw-logs|fw-test|grants-enough|hanging|javascript|load-order|new|notes|one-program|postgres|postgres-kills|seeds|serve|services-dev|shop|sockets-live|telemetry|topologies|upgrades)\.test\.ts$/;

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

/**
 * Settings of every project. The time limits only catch hanging tests; no test measures time with them, so a busy
 * machine fails none.
 */
const everywhere = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // A test that polls more often takes the processors from the processes it waits for.
  expect: { poll: { timeout: 240_000, interval: 20 } },
  // TypeScript's servers collect garbage only near this limit: tests end them before it pays off.
  env: { GOGC: "off", GOMEMLIMIT: "1GiB" },
} as const;

export default defineConfig({
  test: {
    // Set for the whole run, because a project with its own global setup would build everything again.
    globalSetup: ["test/setup/build.ts", "test/setup/chromium.ts"],
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        plugins: [builtModules()],
        test: {
          ...everywhere,
          server: { deps: { external: [compiledModules] } },
          name: "processes",
          include: ["test/**/*.test.ts"],
          isolate: false,
          // Most of these tests wait for processes that they have started.
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
        plugins: [builtModules()],
        test: {
          ...everywhere,
          server: { deps: { external: [compiledModules] } },
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
