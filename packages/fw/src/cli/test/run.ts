import { resolvedFrom } from "../../lib/resolved-from.ts";
import { sourceRoot } from "../app-root.ts";
import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";
import { nothingDeclared } from "../nothing-declared.ts";
import { wantsColour } from "../print/colour.ts";
import { runNode } from "./run-node.ts";
import { stoppable } from "../stop.ts";
import { runVitest, type TestRun } from "./run-vitest.ts";
import { testedApplication } from "./wiring.ts";

/** Runs an application's tests with its own Vitest, or with Node. Runs nothing while a rule reports a problem. */
export async function runTests(options: Omit<TestRun, "root">, io: IO): Promise<ExitCode> {
  const root = sourceRoot(io.cwd);
  const application = testedApplication(root, io.env);
  io.progress.step("checking the application");
  try {
    const { refusal, declares } = await stoppable(
      io,
      () => application.wiring(),
      () => application.close(),
    );
    io.progress.end();
    if (refusal !== undefined) {
      io.out.write(refusal.text(wantsColour(io.out, io.env)));
      io.err.write(`fw: ${refusal.sentence}\n`);
      return 1;
    }
    if (!declares) throw nothingDeclared(root);
    const vitest = resolvedFrom(root, "vitest/node");
    const run = { ...options, root };
    return vitest === undefined ? await runNode(application, run, io) : await runVitest(vitest, run, io);
  } finally {
    application.close();
  }
}
