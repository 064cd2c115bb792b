import { openAnalyzer, type Analysis, type Analyzer } from "../analysis/index.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { App } from "../model/app.ts";
import type { EntryUses } from "../model/uses.ts";
import { Refusal } from "./command.ts";
import { nothingDeclared } from "./nothing-declared.ts";

/** Analyses an application for some work. */
async function analyzed<Result>(
  root: string,
  work: (analysis: Analysis, analyzer: Analyzer) => Result,
): Promise<Awaited<Result>> {
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
