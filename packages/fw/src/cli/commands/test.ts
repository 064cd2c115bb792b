import { command, type Command } from "../command.ts";

export const test: Command = command({
  name: "test",
  summary: "run the application's tests",
  details: [
    "Runs *.test.ts and *.spec.ts with the application's own Vitest and its configuration, or with node --test if Vitest is not installed. Tests import the application's modules and create an application with newTestApp from fw/testing. If a rule reports a problem, fw prints it as fw check does and runs nothing.",
    "The exit code is 0 if every test passes, and 1 if a test fails, there is no test, or a rule reports a problem.",
  ],
  arguments: [{ name: "filter", takes: "rest", summary: "run only test files whose path contains one of these words" }],
  options: { watch: { short: "w", summary: "run them again after every change of a file" } },
  examples: [
    { line: "fw test", says: "run every test" },
    { line: "fw test orders", says: 'run tests with "orders" in their path' },
    { line: "fw test --watch", says: "run tests after every save" },
  ],
  async run(options, io, args) {
    const { runTests } = await import("../test/run.ts");
    return runTests({ filters: args.filter, watch: options.watch === true }, io);
  },
});
