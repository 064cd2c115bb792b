import { join, relative, sep } from "node:path";
import { openAnalyzer, type Analysis, type AnalyzeOptions, type Analyzer } from "../analysis/index.ts";
import type { Checker } from "../analysis/checker/checker.ts";
import { generateClient, type GeneratedClient } from "../generate/client/client.ts";
import { consoleModel, type ConsoleModel } from "../generate/console-model.ts";
import { openApi, type OpenApi } from "../generate/openapi/document.ts";
import { isTemplate, templatesSpecifier, type CompiledTemplates, type TemplateSource } from "../generate/templates.ts";
import { generator } from "../generate/wiring.ts";
import { allSaved, type Unsaved } from "../lib/unsaved.ts";
import type { App, SiteDeclaration } from "../model/app.ts";
import { allOfKind } from "../model/declarations.ts";
import { inSourceOrder, type Diagnostic, type Span } from "../model/diagnostic.ts";
import type { Here } from "../model/here.ts";
import type { EntryUses } from "../model/uses.ts";
import { isModule, withoutConsequences } from "./causes.ts";
import { sortChanges, type SortedChanges } from "./changes.ts";
import { readEnv } from "./env.ts";
import { SiteBuilds, type BuildEvents, type FailedBuild } from "./site/builds.ts";
import { RenderCheck } from "./site/render-check.ts";
import { SiteTemplates } from "./site/templates.ts";
import type { Snapshot } from "./snapshot.ts";
import { watchFiles, type Change, type Watcher } from "./watch/watcher.ts";

export interface WorkspaceOptions {
  /** The application's directory, absolute. */
  readonly root: string;
  /** The shell's environment, which build commands run with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Without it, the build commands of sites do not run. */
  readonly builds?: BuildEvents;
  /** A server of TypeScript that was opened for this application; the workspace closes it. */
  readonly checker?: Checker;
  /** What an editor has not saved. */
  readonly unsaved?: Unsaved;
}

export interface WatchEvents {
  /** Files were saved, or a build command in the background has written some: one call a burst. */
  changed(changes: readonly Change[]): void;
  /** Some changes will not be noticed; a sentence that says why. */
  failed(why: string): void;
}

/** What the files of an application say. */
export interface Contents {
  /** As much of the application as could be read; all of it when there are no diagnostics. */
  readonly app: App;
  /** What rules and templates say is wrong, in source order. */
  readonly diagnostics: readonly Diagnostic[];
  /** Source files looked at. */
  readonly files: number;
}

/** An application on disk: read once, and kept up with by what changes of it. Its own code never runs here. */
export class Workspace {
  readonly root: string;
  readonly #options: WorkspaceOptions;
  #analyzer: Analyzer;
  readonly #templates: SiteTemplates;
  readonly #renders: RenderCheck;
  readonly #builds: SiteBuilds | undefined;
  readonly #generate: ReturnType<typeof generator>;
  #watcher: Watcher | undefined;
  #watching: WatchEvents | undefined;
  #analysis: Analysis | undefined;
  #compiled: ReadonlyMap<SiteDeclaration, CompiledTemplates> = new Map();
  #diagnostics: readonly Diagnostic[] = [];

  constructor(options: WorkspaceOptions) {
    const { root, env, builds, unsaved = allSaved } = options;
    this.root = root;
    this.#options = options;
    this.#analyzer = openAnalyzer(root, options);
    this.#templates = new SiteTemplates(root, unsaved);
    this.#renders = new RenderCheck((site) => this.#templates.sources(site));
    this.#builds =
      builds && new SiteBuilds({ root, env, ...builds, wrote: (changes) => this.#watching?.changed(changes) });
    this.#generate = generator({
      module: (path) => join(root, path),
      calls: true,
      siteDir: (site) => join(root, site.dir),
      templates: templatesSpecifier,
      markdown: (site) => this.templates(site).markdown,
    });
  }

  /** Reads everything, and where no rule stands runs the build commands of sites, to their end. */
  async read(options?: AnalyzeOptions): Promise<Contents> {
    const analysis = await this.#analyzer.analyze(options);
    if (analysis.diagnostics.length === 0) await this.#builds?.runAll(analysis.app);
    return this.#keep(analysis);
  }

  /** What the changes concern, as the application was read last. */
  classify(changes: readonly Change[]): SortedChanges {
    const sites = this.#sites().map(({ dir }) => join(this.root, dir));
    return sortChanges(changes, this.root, sites);
  }

  /** Reads what changed. Build commands that may read it run in the background; until they are done, templates of their sites stay. */
  async update({ all, modules, project }: SortedChanges): Promise<Contents> {
    const analysis = await (project ? this.#reopen() : this.#analyzer.update(modules));
    this.#builds?.follow(analysis.app, all);
    return this.#keep(analysis);
  }

  /** Runs the build commands that may read these files, which nothing else is made of. */
  rebuildSites(changes: readonly Change[]): void {
    if (this.#analysis) this.#builds?.follow(this.#analysis.app, changes);
  }

  /** What to run of what was read last; undefined while anything is wrong with it. */
  snapshot(): Snapshot | undefined {
    if (this.#analysis === undefined || this.#diagnostics.length > 0) return undefined;
    const { app, texts } = this.#analysis;
    const { entry, files, exposed } = this.#generate(app);
    const compiled = [...this.#compiled].map(([site, { code }]): [string, string] => [templatesSpecifier(site), code]);
    return {
      entry,
      files: Object.fromEntries([...files, ...compiled]),
      sources: this.#byAbsolutePath(texts),
      exposed: this.#byAbsolutePath(exposed),
    };
  }

  /** The text of each module as it was read last, by path relative to the root. */
  get sources(): ReadonlyMap<string, string> {
    return this.#analysis?.texts ?? new Map<string, string>();
  }

  /** The compiled templates of a site, and whether a page of it may render markdown. */
  templates(site: SiteDeclaration): { readonly code: string; readonly markdown: boolean } {
    const { code, markdown } = this.#templates.last(site, this.#analysis?.app ?? { packages: [] });
    return { code, markdown: markdown || this.#analysis?.mentionsMarkdown === true };
  }

  /** What the code of each entry uses. */
  uses(): Promise<readonly EntryUses[]> {
    return this.#analyzer.uses();
  }

  /** The TypeScript client of what was read last, or why there is none. */
  async client(): Promise<GeneratedClient> {
    const descriptions = await this.#analyzer.descriptions();
    return generateClient(this.#read().app, descriptions);
  }

  /** The OpenAPI document of what was read last. */
  async openApi(): Promise<OpenApi> {
    const descriptions = await this.#analyzer.descriptions();
    return openApi(this.#read().app, descriptions);
  }

  /** What the console shows of what was read last. */
  async consoleModel(): Promise<ConsoleModel> {
    return consoleModel(this.#read().app, await this.#analyzer.uses());
  }

  /** What TypeScript says of the modules, and of what templates are given, in source order. */
  async types(signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    return withoutConsequences(await this.#allTypes(signal), isModule(this.root));
  }

  async #allTypes(signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    await this.#builds?.idle();
    return sorted([...(await this.#wrongData(signal)), ...(await this.#analyzer.typeDiagnostics(signal))]);
  }

  /**
   * What it takes TypeScript to find, but for TypeScript's own errors: what templates are given, and declarations that the
   * source does not show. For an editor, which shows the others itself.
   */
  async typed(signal: AbortSignal): Promise<readonly Diagnostic[]> {
    return sorted([...(await this.#wrongData(signal)), ...(await this.#analyzer.unreadValues(signal))]);
  }

  /** What a place of a module is about. */
  here(at: Pick<Span, "path" | "line" | "column">): Promise<Here | undefined> {
    return this.#analyzer.here(at);
  }

  /** The templates of a site, as they were compiled last. */
  templateFiles(site: SiteDeclaration): readonly TemplateSource[] {
    return this.#templates.sources(site).filter(({ name }) => isTemplate(name));
  }

  /** Everything that is wrong with what was read last: what rules, templates and types say. */
  async problems(): Promise<readonly Diagnostic[]> {
    const found = sorted([...this.#diagnostics, ...(await this.#allTypes())]);
    return withoutConsequences(found, isModule(this.root));
  }

  /** What `.env` adds to the environment, as it is now. */
  environment(): Record<string, string> {
    return readEnv(this.root, this.#options.env);
  }

  /** The build commands that failed the last time. */
  get failedBuilds(): readonly FailedBuild[] {
    return this.#builds?.failures ?? [];
  }

  /** What was read last, once no build command runs, with the templates as these left them. */
  async settled(): Promise<Contents> {
    if (this.#builds?.areRunning) {
      await this.#builds.idle();
      this.#compileTemplates();
    }
    return this.#contents();
  }

  /** What to call the files of changes, each once: relative to the root, or the site whose build command made them. */
  names(changes: readonly Change[]): string[] {
    const nameOf = (change: Change): string =>
      this.#builds?.nameOf(change) ?? relative(this.root, change.path).split(sep).join("/");
    return [...new Set(changes.map(nameOf))];
  }

  /** Follows the files from now on, also while they are being read. What a build command writes comes when it is done. */
  watch(events: WatchEvents): void {
    this.#watching = events;
    this.#watcher = watchFiles(
      this.root,
      (changes) => {
        const own = changes.filter((change) => !this.#builds?.made(change));
        if (own.length > 0) events.changed(own);
      },
      (error) => events.failed(watchSentence(error)),
    );
  }

  close(): void {
    this.#watcher?.close();
    this.#watching = undefined;
    this.#builds?.stop();
    this.#analyzer.close();
  }

  /** Where templates do not fit what they are given. A module that does not parse may hold the call that passes what seems to be missing. */
  async #wrongData(signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    const parses = !this.#diagnostics.some(({ code }) => code === "syntax");
    return parses ? this.#renders.check(this.#analyzer, this.#sites(), signal) : [];
  }

  async #reopen(): Promise<Analysis> {
    this.#analyzer.close();
    const { unsaved } = this.#options;
    this.#analyzer = openAnalyzer(this.root, unsaved && { unsaved });
    return this.#analyzer.analyze();
  }

  #keep(analysis: Analysis): Contents {
    this.#analysis = analysis;
    this.#compileTemplates();
    return this.#contents();
  }

  #contents(): Contents {
    const { app, files } = this.#read();
    return { app, files, diagnostics: this.#diagnostics };
  }

  #compileTemplates(): void {
    const { app, diagnostics } = this.#read();
    this.#compiled = new Map(allOfKind(app.packages, "site").map((site) => [site, this.#compile(site, app)]));
    const templates = [...this.#compiled.values()].flatMap((compiled) => compiled.diagnostics);
    this.#diagnostics = sorted([...diagnostics, ...templates]);
  }

  #read(): Analysis {
    if (this.#analysis === undefined) throw new Error("the workspace has not been read");
    return this.#analysis;
  }

  #compile(site: SiteDeclaration, app: App): CompiledTemplates {
    return this.#builds?.isRunning(site) ? this.#templates.last(site, app) : this.#templates.compile(site, app);
  }

  #sites(): readonly SiteDeclaration[] {
    return this.#analysis === undefined ? [] : allOfKind(this.#analysis.app.packages, "site");
  }

  #byAbsolutePath<T>(values: ReadonlyMap<string, T>): Record<string, T> {
    return Object.fromEntries([...values].map(([path, value]) => [join(this.root, path), value]));
  }
}

function watchSentence(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOSPC") {
    return "the system allows no more file watches, so some changes will not be noticed; raise fs.inotify.max_user_watches (sysctl)";
  }
  return `some changes will not be noticed: ${error.message}`;
}

function sorted(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted((a, b) => inSourceOrder(a.at, b.at));
}
