import { isError } from "../model/diagnostic.ts";
import type { Analysis, Analyzer } from "../analysis/index.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { App } from "../model/app.ts";
import type { EntryUses } from "../model/uses.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { Refusal } from "./command.ts";
import type { IO } from "./io.ts";
import { nothingDeclared } from "./nothing-declared.ts";
import { printText, textOptions } from "./print/text.ts";
import { stoppable } from "./stop.ts";

/** Analyzes an application and passes the result to `work`. */
async function withAnalysis<Result>(
  root: string,
  work: (analysis: Analysis, analyzer: Analyzer) => Result,
): Promise<Awaited<Result>> {
  // Loaded on demand, because commands that refuse early do not need the analysis.
  const { openAnalyzer } = await import("../analysis/index.ts");
  const analyzer = openAnalyzer(root);
  try {
    return await work(await analyzer.analyze(), analyzer);
  } finally {
    analyzer.close();
  }
}

/** Analyzes the application's declarations. Returns problems instead of refusing the application. */
export function analyze(root: string): Promise<Analysis> {
  return withAnalysis(root, (analysis) => analysis);
}

/** Reads the declarations of an application. Refuses one with errors or without declarations. */
export function checkedApp(root: string): Promise<App> {
  return withAnalysis(root, (analysis) => requireNoErrors(root, analysis));
}

/** Like `checkedApp`, including what each handler's code uses. */
export function checkedUses(root: string): Promise<{ readonly app: App; readonly uses: readonly EntryUses[] }> {
  return withAnalysis(root, async (analysis, analyzer) => ({
    app: requireNoErrors(root, analysis),
    uses: await analyzer.uses(),
  }));
}

/** Returns the analyzed application. Refuses one with errors or without declarations; ignores warnings. */
function requireNoErrors(root: string, { app, diagnostics }: Analysis): App {
  const errors = diagnostics.filter(isError);
  if (errors.length > 0) throw new Refusal(`the application has ${problemCount(errors)}; run "fw check" for details`);
  if (app.packages.length === 0) throw nothingDeclared(root);
  return app;
}

export function problemCount(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.length === 1 ? "a problem" : `${diagnostics.length} problems`;
}

/**
 * Reads an application with its types and passes it to `work` if it has no errors. Otherwise prints the errors and
 * returns undefined. Refuses an application without declarations or with a failed site build.
 */
export async function withCheckedWorkspace<Result>(
  root: string,
  io: IO,
  work: (workspace: Workspace, app: App) => Promise<Result>,
): Promise<Result | undefined> {
  const { Workspace } = await import("../workspace/workspace.ts");
  // `failedBuilds` below reports failed site builds once all have ended.
  const workspace = new Workspace({ root, env: io.env, builds: { failed: () => {}, recovered: () => {} } });
  try {
    const { app } = await stoppable(
      io,
      () => workspace.read({ types: true }),
      () => workspace.close(),
    );
    const [failed] = workspace.failedBuilds;
    if (failed !== undefined) throw new Refusal([failed.message, failed.output.trimEnd()].join("\n").trimEnd());
    const diagnostics = (await workspace.problems()).filter(isError);
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
