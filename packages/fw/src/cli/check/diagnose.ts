import { openAnalyzer, type Analysis } from "../../analysis/index.ts";
import { SiteTemplates } from "../../dev/site-templates.ts";
import { sitesOf } from "../../dev/engine.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";

export interface Findings {
  /** By file, then by position. */
  readonly diagnostics: readonly Diagnostic[];
  readonly files: number;
  readonly routes: number;
}

/** Everything that is wrong with an application: rules, templates and types. */
export async function diagnose(root: string): Promise<Findings> {
  const analyzer = openAnalyzer(root);
  try {
    const { app, diagnostics, files } = await analyzer.analyze();
    const compiler = new SiteTemplates(root);
    const templates = sitesOf(app).flatMap((site) => compiler.compile(site).diagnostics);
    const types = await analyzer.typeDiagnostics();
    const routes = app.packages.reduce((sum, { endpoints }) => sum + endpoints.length, 0);
    return { diagnostics: [...diagnostics, ...templates, ...types].toSorted(byPlace), files, routes };
  } finally {
    analyzer.close();
  }
}

/** What the declarations say, and what is wrong with them. */
export async function analyze(root: string): Promise<Analysis> {
  const analyzer = openAnalyzer(root);
  try {
    return await analyzer.analyze();
  } finally {
    analyzer.close();
  }
}

function byPlace({ at: a }: Diagnostic, { at: b }: Diagnostic): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
