import { command, type Command } from "../command.ts";

/** `fw test`. */
export const test: Command = command({
  name: "test",
  summary: "run the application's tests",
  details: [
    "Runs *.test.ts and *.spec.ts by the application's own Vitest with its configuration, or by node --test where it has no Vitest. Tests import the application's modules and make an application of their own with newTestApp of fw/testing. While a rule stands, it is reported as fw check does and nothing runs.",
    "The exit code is 0 when every test passed and 1 when one did not, when there is none, or when a rule stands.",
  ],
  arguments: [{ name: "filter", takes: "rest", summary: "run only the test files whose path contains one of these" }],
  options: { watch: { short: "w", summary: "run them again whenever a file changes" } },
  examples: [
    { line: "fw test", says: "every test" },
    { line: "fw test orders", says: "those with orders in their path" },
    { line: "fw test --watch", says: "again after every save" },
  ],
  async run(options, io, args) {
    const { runTests } = await import("../test/run.ts");
    return runTests({ filters: args.filter, watch: options.watch === true }, io);
  },
});
