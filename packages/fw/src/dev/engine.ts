import { join } from "node:path";
import { openAnalyzer, type Analysis, type Analyzer } from "../analysis/index.ts";
import { templatesSpecifier } from "../generate/templates.ts";
import { generator } from "../generate/wiring.ts";
import type { App, SiteDeclaration } from "../model/app.ts";
import { allOfKind } from "../model/declarations.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Snapshot } from "./protocol.ts";
import { RenderCheck } from "./site/render-check.ts";
import { SiteTemplates } from "./site/templates.ts";
import type { Change } from "./watch/watcher.ts";

/** An application's source as something to run, or what is wrong with it. */
export interface Built {
  readonly app: App;
  /** Undefined while any diagnostic stands. */
  readonly snapshot: Snapshot | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Source in, snapshot or diagnostics out; keeps what it knows between changes. */
export class Engine {
  readonly #root: string;
  #analyzer: Analyzer;
  readonly #templates: SiteTemplates;
  readonly #renders: RenderCheck;
  readonly #generate: ReturnType<typeof generator>;
  /** Directories of the sites whose templates render markdown. */
  #markdown: ReadonlySet<string> = new Set();
  #mentionsMarkdown = false;

  constructor(root: string) {
    this.#root = root;
    this.#analyzer = openAnalyzer(root);
    this.#templates = new SiteTemplates(root);
    this.#renders = new RenderCheck((site) => this.#templates.sources(site));
    this.#generate = generator({
      module: (path) => join(root, path),
      siteDir: (site) => join(root, site.dir),
      templates: templatesSpecifier,
      markdown: (site) => this.#mentionsMarkdown || this.#markdown.has(site.dir),
    });
  }

  /** Reads everything. */
  async analyze(): Promise<Analysis> {
    return this.#analyzer.analyze();
  }

  /** Reads what changed. */
  async update(changes: readonly Change[]): Promise<Analysis> {
    return this.#analyzer.update(changes);
  }

  /** Starts over: what modules and types mean changed. */
  async reopen(): Promise<Analysis> {
    this.#analyzer.close();
    this.#analyzer = openAnalyzer(this.#root);
    return this.analyze();
  }

  /** Generates what the last analysis describes. The templates of sites that are being built are those of before. */
  build(analysis: Analysis, isBeingBuilt: (site: SiteDeclaration) => boolean): Built {
    const { app } = analysis;
    const templates = sitesOf(app).map((site) => ({
      site,
      compiled: isBeingBuilt(site) ? this.#templates.last(site) : this.#templates.compile(site),
    }));
    const diagnostics = [...analysis.diagnostics, ...templates.flatMap(({ compiled }) => compiled.diagnostics)];
    if (diagnostics.length > 0) return { app, diagnostics, snapshot: undefined };
    this.#mentionsMarkdown = analysis.mentionsMarkdown;
    this.#markdown = new Set(templates.filter(({ compiled }) => compiled.markdown).map(({ site }) => site.dir));
    const { entry, files, exposed } = this.#generate(app);
    const compiled = templates.map(({ site, compiled }): [string, string] => [templatesSpecifier(site), compiled.code]);
    const snapshot = {
      entry,
      files: Object.fromEntries([...files, ...compiled]),
      sources: this.#byAbsolutePath(analysis.texts),
      exposed: this.#byAbsolutePath(exposed),
    };
    return { app, diagnostics, snapshot };
  }

  /** What types say is wrong, in templates and in modules; it keeps nothing from running. */
  async typeDiagnostics(app: App, signal: AbortSignal): Promise<readonly Diagnostic[]> {
    const templates = await this.#renders.check(this.#analyzer, sitesOf(app), signal);
    return [...templates, ...(await this.#analyzer.typeDiagnostics(signal))];
  }

  #byAbsolutePath<T>(values: ReadonlyMap<string, T>): Record<string, T> {
    return Object.fromEntries([...values].map(([path, value]) => [join(this.#root, path), value]));
  }

  close(): void {
    this.#analyzer.close();
  }
}

export function sitesOf(app: App): readonly SiteDeclaration[] {
  return allOfKind(app.packages, "site");
}
