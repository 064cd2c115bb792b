import { dirname, join } from "node:path";
import { openAnalyzer } from "../../analysis/index.ts";
import type { BuildInput } from "../../build/build.ts";
import { sitesOf } from "../../dev/engine.ts";
import { SiteTemplates } from "../../dev/site/templates.ts";
import type { App } from "../../model/app.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { runSiteBuild, SiteBuildError } from "../../runtime/site/build.ts";
import { byPlace, templateDiagnostics } from "../check/diagnose.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";

/** An application to build, or what is wrong with it. */
export type Prepared =
  | { readonly sound: true; readonly input: BuildInput }
  | { readonly sound: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads an application, runs the build commands of its sites, and checks all that `fw check` checks. */
export async function prepare(root: string, io: IO): Promise<Prepared> {
  const analyzer = openAnalyzer(root);
  try {
    const { app, diagnostics, texts, mentionsMarkdown } = await analyzer.analyze({ types: true });
    if (diagnostics.length > 0) return { sound: false, diagnostics };
    await runSiteBuilds(root, app, io);
    const compiler = new SiteTemplates(root);
    const templates = await templateDiagnostics(compiler, analyzer, app, diagnostics);
    const wrong = [...templates, ...(await analyzer.typeDiagnostics())];
    if (wrong.length > 0) return { sound: false, diagnostics: wrong.toSorted(byPlace) };
    const templatesOf: BuildInput["templates"] = (site) => {
      const { code, markdown } = compiler.last(site);
      return { code, markdown: markdown || mentionsMarkdown };
    };
    const uses = await analyzer.uses();
    return { sound: true, input: { root, app, uses, sources: texts, templates: templatesOf } };
  } finally {
    analyzer.close();
  }
}

/** One after the other: a command may need the whole machine. */
async function runSiteBuilds(root: string, app: App, io: IO): Promise<void> {
  for (const { build, dir, declaration } of sitesOf(app)) {
    if (build === undefined) continue;
    const lines: string[] = [];
    const stopping = new AbortController();
    const done = io.onStop(() => stopping.abort(new Refusal("stopped")));
    try {
      const site = {
        command: build.command,
        cwd: join(root, dirname(declaration.module)),
        out: join(root, build.out ?? dir),
      };
      await runSiteBuild(site, { line: (text) => void lines.push(text), signal: stopping.signal, env: io.env });
    } catch (error) {
      if (!(error instanceof SiteBuildError)) throw error;
      throw new Refusal([error.message, ...lines].join("\n"));
    } finally {
      done();
    }
  }
}
