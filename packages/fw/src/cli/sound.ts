import { openAnalyzer, type Analysis } from "../analysis/index.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { App } from "../model/app.ts";
import type { EntryUses } from "../model/uses.ts";
import { Refusal } from "./command.ts";
import { nothingDeclared } from "./nothing-declared.ts";

/** What the declarations say, and what is wrong with them. */
export async function analyze(root: string): Promise<Analysis> {
  const analyzer = openAnalyzer(root);
  try {
    return await analyzer.analyze();
  } finally {
    analyzer.close();
  }
}

/** What the source declares. Refuses while a rule stands, or where nothing is declared: half of it must not be worked with. */
export async function soundApp(root: string): Promise<App> {
  const analysis = await analyze(root);
  requireSound(root, analysis);
  return analysis.app;
}

/** The same with what the code of each handler uses. */
export async function soundUses(root: string): Promise<{ readonly app: App; readonly uses: readonly EntryUses[] }> {
  const analyzer = openAnalyzer(root);
  try {
    const analysis = await analyzer.analyze();
    requireSound(root, analysis);
    return { app: analysis.app, uses: await analyzer.uses() };
  } finally {
    analyzer.close();
  }
}

function requireSound(root: string, { app, diagnostics }: Analysis): void {
  if (diagnostics.length > 0) {
    throw new Refusal(`the application has ${problems(diagnostics)}; "fw check" shows what`);
  }
  if (app.packages.length === 0) throw nothingDeclared(root);
}

/** How many there are, as a noun. */
export function problems(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.length === 1 ? "a problem" : `${diagnostics.length} problems`;
}
