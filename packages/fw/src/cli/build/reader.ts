import { dirname, join, sep } from "node:path";
import { openAnalyzer, type Analysis, type Analyzer } from "../../analysis/index.ts";
import type { BuildInput } from "../../build/build.ts";
import type { Sorted } from "../../dev/changes.ts";
import { sitesOf } from "../../dev/engine.ts";
import { RenderCheck } from "../../dev/site/render-check.ts";
import { SiteTemplates } from "../../dev/site/templates.ts";
import type { App, SiteDeclaration } from "../../model/app.ts";
import type { Diagnostic } from "../../model/diagnostic.ts";
import { runSiteBuild, SiteBuildError } from "../../runtime/site/build.ts";
import { Refusal } from "../command.ts";
import type { IO } from "../io.ts";

/** An application to build, or what is wrong with it. */
export type Read =
  | { readonly sound: true; readonly input: BuildInput }
  | { readonly sound: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads an application from disk to build it, and again what changed of it. */
export class AppReader {
  readonly #root: string;
  readonly #io: IO;
  readonly #templates: SiteTemplates;
  readonly #renders = new RenderCheck((site) => this.#templates.sources(site));
  #analyzer: Analyzer;
  #app: App | undefined;
  /** The sites whose build command has run, as it was declared. */
  readonly #generated = new Set<string>();

  constructor(root: string, io: IO) {
    this.#root = root;
    this.#io = io;
    this.#templates = new SiteTemplates(root);
    this.#analyzer = openAnalyzer(root);
  }

  /** Reads the application, or what these changes concern, runs the build commands of its sites, and checks its rules. */
  async read(changes?: Sorted): Promise<Read> {
    const { app, diagnostics, texts, mentionsMarkdown } = await this.#analyze(changes);
    this.#app = app;
    if (diagnostics.length > 0) return { sound: false, diagnostics };
    await this.#runSiteBuilds(app, changes);
    const wrong = sitesOf(app).flatMap((site) => this.#templates.compile(site).diagnostics);
    if (wrong.length > 0) return { sound: false, diagnostics: wrong };
    const templates: BuildInput["templates"] = (site) => {
      const { code, markdown } = this.#templates.last(site);
      return { code, markdown: markdown || mentionsMarkdown };
    };
    const uses = await this.#analyzer.uses();
    return { sound: true, input: { root: this.#root, app, uses, sources: texts, templates } };
  }

  /** What TypeScript says of the modules, and of what the templates are given. */
  async typeDiagnostics(): Promise<readonly Diagnostic[]> {
    const templates = this.#app === undefined ? [] : await this.#renders.check(this.#analyzer, sitesOf(this.#app));
    return [...templates, ...(await this.#analyzer.typeDiagnostics())];
  }

  close(): void {
    this.#analyzer.close();
  }

  async #analyze(changes: Sorted | undefined): Promise<Analysis> {
    if (changes !== undefined && !changes.project) return this.#analyzer.update(changes.modules);
    if (changes !== undefined) {
      this.#analyzer.close();
      this.#analyzer = openAnalyzer(this.#root);
    }
    return this.#analyzer.analyze({ types: true });
  }

  /** One after the other: a command may need the whole machine. */
  async #runSiteBuilds(app: App, changes: Sorted | undefined): Promise<void> {
    for (const site of sitesOf(app)) {
      const declared = JSON.stringify([site.dir, site.declaration.module, site.build]);
      if (site.build === undefined || (this.#generated.has(declared) && !this.#concerns(site, changes))) continue;
      await this.#runSiteBuild(site, site.build);
      this.#generated.add(declared);
    }
  }

  /** A command may read whatever is in the directory of the package that declares the site. */
  #concerns({ declaration }: SiteDeclaration, changes: Sorted | undefined): boolean {
    if (changes === undefined) return true;
    const read = join(this.#root, dirname(declaration.module)) + sep;
    return changes.all.some(({ path }) => path.startsWith(read));
  }

  async #runSiteBuild(site: SiteDeclaration, build: NonNullable<SiteDeclaration["build"]>): Promise<void> {
    const lines: string[] = [];
    const stopping = new AbortController();
    const done = this.#io.onStop(() => stopping.abort(new Refusal("stopped")));
    try {
      const cwd = join(this.#root, dirname(site.declaration.module));
      const out = join(this.#root, build.out ?? site.dir);
      const line = (text: string): void => void lines.push(text);
      await runSiteBuild({ command: build.command, cwd, out }, { line, signal: stopping.signal, env: this.#io.env });
    } catch (error) {
      if (!(error instanceof SiteBuildError)) throw error;
      throw new Refusal([error.message, ...lines].join("\n"));
    } finally {
      done();
    }
  }
}
