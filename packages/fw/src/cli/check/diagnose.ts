import { openAnalyzer, type Analysis, type Analyzer, type AnalyzerOptions } from "../../analysis/index.ts";
import { sitesOf } from "../../dev/engine.ts";
import { RenderCheck } from "../../dev/site/render-check.ts";
import { SiteTemplates } from "../../dev/site/templates.ts";
import type { App } from "../../model/app.ts";
import { endpointsOf } from "../../model/declarations.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import type { EntryUses } from "../../model/uses.ts";

export interface Findings {
  /** By file, then by position. */
  readonly diagnostics: readonly Diagnostic[];
  readonly files: number;
  readonly routes: number;
}

/** Everything that is wrong with an application: rules, templates and types. */
export async function diagnose(root: string, options: AnalyzerOptions = {}): Promise<Findings> {
  const analyzer = openAnalyzer(root, options);
  try {
    const { app, diagnostics, files } = await analyzer.analyze({ types: true });
    const templates = await templateDiagnostics(new SiteTemplates(root), analyzer, app, diagnostics);
    const types = await analyzer.typeDiagnostics();
    const routes = app.packages.flatMap(endpointsOf).length;
    return { diagnostics: [...diagnostics, ...templates, ...types].toSorted(byPlace), files, routes };
  } finally {
    analyzer.close();
  }
}

/** What is wrong with the templates themselves, and with what is passed to them. */
async function templateDiagnostics(
  compiler: SiteTemplates,
  analyzer: Analyzer,
  app: App,
  told: readonly Diagnostic[],
): Promise<readonly Diagnostic[]> {
  const sites = sitesOf(app);
  const compiled = sites.flatMap((site) => compiler.compile(site).diagnostics);
  // A module that does not parse may hold the call that passes what seems to be missing.
  if (told.some(({ code }) => code === "syntax")) return compiled;
  return [...compiled, ...(await new RenderCheck((site) => compiler.sources(site)).check(analyzer, sites))];
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

/** The same with what the code of each handler uses. */
export async function analyzeUses(root: string): Promise<Analysis & { readonly uses: readonly EntryUses[] }> {
  const analyzer = openAnalyzer(root);
  try {
    return { ...(await analyzer.analyze()), uses: await analyzer.uses() };
  } finally {
    analyzer.close();
  }
}

export function byPlace({ at: a }: Diagnostic, { at: b }: Diagnostic): number {
  if (a.path !== b.path) return a.path < b.path ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
