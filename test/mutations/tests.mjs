// Runs test files from a copy of the working tree repeatedly in one process, which keeps the transformed modules.
import { createVitest } from "vitest/node";

const copy = process.argv[2];
const vitest = await createVitest(
  "test",
  { root: copy, watch: false, run: true, bail: 1, reporters: [{}], passWithNoTests: true },
  { server: { watch: null } },
);
await vitest.standalone();

/** Resolves to the first errors in the files' tests. `changed` are sources that changed since the last call. */
async function errorsOf({ files, changed }) {
  for (const path of changed) vitest.invalidateFile(path);
  // Otherwise, results of earlier runs would count for this one.
  for (const results of [vitest.state.filesMap, vitest.state.idMap, vitest.state.errorsSet]) results.clear();
  const specifications = await vitest.globTestSpecifications(files);
  if (specifications.length === 0) throw new Error(`no test files: ${files.join(" ")}`);
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, false);
  const failed = testModules.filter((module) => !module.ok());
  const errors = failed.flatMap((module) => [
    module.moduleId,
    ...[...module.children.allTests("failed")].flatMap((test) => test.result().errors ?? []),
    ...module.errors(),
  ]);
  return [...unhandledErrors, ...errors].map((error) => error.message ?? String(error));
}

process.on("message", (message) => {
  errorsOf(message).then(
    (errors) => process.send({ errors }),
    (error) => process.send({ defect: String(error) }),
  );
});
process.on("disconnect", () => process.exit(0));
process.send({ ready: true });
