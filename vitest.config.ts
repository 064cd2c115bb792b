import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
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

/** The slowest files of `test/`, slowest first. They start in this order, so that none runs alone at the end of a run. */
const longest = `
  deploy hanging console console-steps fw-test example-tests shop load-order services-dev console-pages postgres-kills dev-process
  dev-loop serve postgres upgrades new accounts build chaos dev-browser telemetry sockets-live one-program client
  documented-answers build-budgets grants-enough build-costs accounts-browser sign-in-browser notes-tour first-deploy
  self-check topologies live-pages notes server-roles javascript background metrics dashboard mail sockets-stop stops dev-data
  console-forms
`
  .trim()
  .split(/\s+/);

/** The slowest units, slowest first: they start before the others for the same reason. */
const longestUnits = `
  platform/postgres/objects/s3/s3 platform/postgres/conformance platform/postgres/machines
  platform/loopback/conformance analysis/rules/pages platform/local/crash platform/local/local
  evolution/side-by-side.property platform/gcp/emulator analysis/schema/schema deploy/preflight/data-changes
  cli/against/against generate/template/xss runtime/body/upload deploy/drift topology/process evolution/switch
`
  .trim()
  .split(/\s+/);

/** Projects in the order in which their files start. Those of one project follow each other and share workers. */
const projects = ["processes", "alone", "units"];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's own, not that of a list
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (one, other) =>
        projects.indexOf(one.project.name) - projects.indexOf(other.project.name) || position(one) - position(other),
    );
  }
}

const first = [...longest, ...longestUnits];

function position({ moduleId }: TestSpecification): number {
  const index = first.indexOf(/\/(?:test|packages\/fw\/src)\/(.+)\.test\.ts$/.exec(moduleId)?.[1] ?? "");
  return index < 0 ? first.length : index;
}

/**
 * How long a test waits for an expected event, in milliseconds. Short on an idle machine, so that a failing test does
 * not delay the others much. A machine that has been busy for a minute may take longer for any event.
 */
const patienceMs = (loadavg()[0] ?? 0) > 2 * availableParallelism() ? 240_000 : 60_000;

/**
 * Settings of every project. The time limits only catch hanging tests; no test measures time with them, so a busy
 * machine fails none.
 */
const everywhere = {
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // Polling more often would take CPU time from the processes that the test waits for.
  expect: { poll: { timeout: patienceMs, interval: 20 } },
  env: {
    // TypeScript's servers collect garbage only near this limit: tests end them before it pays off.
    GOGC: "off",
    GOMEMLIMIT: "1GiB",
    // Node parses these certificates at each start, which takes longer than the rest of the start. Only npm connects to
    // other machines.
    NODE_EXTRA_CA_CERTS: "",
    FW_TEST_PATIENCE_MS: String(patienceMs),
    ...npmCertificates(),
    // Many tests build the same application, each in a directory of its own.
    FW_BUNDLE_CACHE: fileURLToPath(new URL("node_modules/.cache/fw-bundles", import.meta.url)),
  },
  // Most files wait for processes that they have started. All projects have one queue, so that none waits for the
  // slowest file of another.
  maxWorkers: 4 * availableParallelism(),
} as const;

/** Lets npm keep trusting the certificates that Node was started with. */
function npmCertificates(): Readonly<Record<string, string>> {
  const { NODE_EXTRA_CA_CERTS: file = "", npm_config_cafile: own } = process.env;
  return own === undefined && file !== "" ? { npm_config_cafile: file } : {};
}

export default defineConfig({
  test: {
    // Set for the whole run, because a project with its own global setup would build everything again.
    globalSetup: ["test/setup/build.mjs", "test/setup/chromium.ts"],
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
          setupFiles: "test/setup/checkers.ts",
        },
      },
      {
        test: {
          ...everywhere,
          name: "alone",
          include: alone,
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
          setupFiles: ["test/setup/declaring.ts", "test/setup/checkers.ts"],
        },
      },
    ],
  },
});
