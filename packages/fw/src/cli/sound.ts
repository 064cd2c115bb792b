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

/** Analyses an application for some work. */
async function analyzed<Result>(
  root: string,
  work: (analysis: Analysis, analyzer: Analyzer) => Result,
): Promise<Awaited<Result>> {
  // What only refuses goes without the analysis.
  const { openAnalyzer } = await import("../analysis/index.ts");
  const analyzer = openAnalyzer(root);
  try {
    return await work(await analyzer.analyze(), analyzer);
  } finally {
    analyzer.close();
  }
}

/** What the declarations say, and what is wrong with them. */
export function analyze(root: string): Promise<Analysis> {
  return analyzed(root, (analysis) => analysis);
}

/** What the source declares. Refuses while a rule stands, or where nothing is declared: half of it must not be worked with. */
export function soundApp(root: string): Promise<App> {
  return analyzed(root, (analysis) => sound(root, analysis));
}

/** The same with what the code of each handler uses. */
export function soundUses(root: string): Promise<{ readonly app: App; readonly uses: readonly EntryUses[] }> {
  return analyzed(root, async (analysis, analyzer) => ({
    app: sound(root, analysis),
    uses: await analyzer.uses(),
  }));
}

function sound(root: string, { app, diagnostics }: Analysis): App {
  if (diagnostics.length > 0) {
    throw new Refusal(`the application has ${problems(diagnostics)}; "fw check" shows what`);
  }
  if (app.packages.length === 0) throw nothingDeclared(root);
  return app;
}

/** How many there are, as a noun. */
export function problems(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.length === 1 ? "a problem" : `${diagnostics.length} problems`;
}

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
