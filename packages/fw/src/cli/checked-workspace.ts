import type { App } from "../model/app.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { Refusal } from "./command.ts";
import type { IO } from "./io.ts";
import { nothingDeclared } from "./nothing-declared.ts";
import { printText, textOptions } from "./print/text.ts";
import { stoppable } from "./stop.ts";

/** Reads an application with its types, and hands it on where nothing is wrong; undefined, and the problems printed, where something is. */
export async function withCheckedWorkspace<Result>(
  root: string,
  io: IO,
  work: (workspace: Workspace, app: App) => Promise<Result>,
): Promise<Result | undefined> {
  const { Workspace } = await import("../workspace/workspace.ts");
  // A command that failed is refused when all have ended.
  const workspace = new Workspace({ root, env: io.env, builds: { failed: () => {}, recovered: () => {} } });
  try {
    const { app } = await stoppable(
      io,
      () => workspace.read({ types: true }),
      () => workspace.close(),
    );
    const [failed] = workspace.failedBuilds;
    if (failed !== undefined) throw new Refusal([failed.message, failed.output.trimEnd()].join("\n").trimEnd());
    const diagnostics = await workspace.problems();
    if (diagnostics.length > 0) {
      io.out.write(printText(diagnostics, textOptions(root, io)));
      return undefined;
    }
    if (app.packages.length === 0) throw nothingDeclared(root);
    return await work(workspace, app);
  } finally {
    workspace.close();
  }
}
