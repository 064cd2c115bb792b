import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { deployCommands } from "../packages/fw/src/cli/commands/deploy.ts";
import { titlesIn } from "./support/titles.ts";

/** For each option of `fw deploy`, the test that verifies its description in docs/deploy.md. */
const testsByOption: Readonly<Record<string, readonly [file: string, title: string]>> = {
  "dry-run": [
    "test/deploy.test.ts",
    "fw deploy > --dry-run prints the plan and writes nothing, and --json prints it as one object",
  ],
  yes: [
    "test/deploy.test.ts",
    "fw deploy > makes everything, starts the services from their images, and asks them whether they answer",
  ],
  confirm: ["test/deploy.test.ts", "fw deploy > removes everything but what keeps data, and that only by its name"],
  "prune-data": [
    "packages/fw/src/deploy/destroy.test.ts",
    "an index that is no longer declared is left with its cost, and removed with --prune-data",
  ],
  adopt: [
    "packages/fw/src/deploy/apply.test.ts",
    "a resource of the same name that says nothing of fw is taken over only where that is asked for",
  ],
  "accept-data-changes": [
    "packages/fw/src/deploy/preflight/data-changes.test.ts",
    "a field that the deployed version requires is dropped in two deploys, or in one if that is accepted",
  ],
  "without-domains": [
    "test/deploy.test.ts",
    "fw deploy > is previewed beside the environment that has its domain, and leaves nothing, as docs/ci.md says",
  ],
  rollback: [
    "packages/fw/src/deploy/rollback.test.ts",
    "a rollback goes to the versions before the last deploy, also of services that an earlier one switched",
  ],
  "self-check": [
    "test/self-check.test.ts",
    "fw deploy --self-check deploys, exercises and destroys an application of its own, and writes a report",
  ],
  verbose: [
    "packages/fw/src/cli/deploy/print-plan.test.ts",
    "--verbose lists every step with its fields, and no policy that grants nothing",
  ],
  json: [
    "test/deploy.test.ts",
    "fw deploy > --dry-run prints the plan and writes nothing, and --json prints it as one object",
  ],
};

const page = readFileSync(new URL("../docs/deploy.md", import.meta.url), "utf8");

test("docs/deploy.md has a row for each option of fw deploy, and a test holds each row", () => {
  const rows = [...page.matchAll(/^\| `--([a-z-]+)/gm)].map(([, name = ""]) => name);
  const options = Object.keys(deployCommands.find(({ name }) => name === "deploy")?.options ?? {});
  const own = options.filter((name) => !["project", "env", "region"].includes(name));
  expect(rows.toSorted()).toEqual(own.toSorted());
  expect(rows.toSorted()).toEqual(Object.keys(testsByOption).toSorted());
});

test.each(Object.entries(testsByOption))("the test that holds --%s exists", (_option, [file, title]) => {
  expect(titlesIn(file)).toContain(title);
});
