import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { relativePath } from "../lib/relative-path.ts";
import { openAnalyzer, type Analysis, type AnalyzeOptions, type Analyzer } from "../analysis/index.ts";
import type { Checker } from "../analysis/checker/checker.ts";
import { isTemplate, templatesSpecifier, type CompiledTemplates, type TemplateSource } from "../generate/templates.ts";
import { generator, type AppGenerator, type Generated } from "../generate/wiring.ts";
import { isSameList } from "../lib/same-items.ts";
import { allSaved, type Unsaved } from "../lib/unsaved.ts";
import type { App, SiteDeclaration } from "../model/app.ts";
import { allOfKind } from "../model/declarations.ts";
import { inSourceOrder, type Diagnostic } from "../model/diagnostic.ts";
import { isESModulePackage, withoutConsequences } from "./root-causes.ts";
import { concernsApplication, sortChanges, type SortedChanges } from "./changes.ts";
import { SiteBuilds, type BuildEvents, type FailedBuild } from "./site/builds.ts";
import { RenderCheck } from "./site/render-check.ts";
import { isMessageFile, languageOf } from "../generate/template/languages.ts";
import { SiteTemplates } from "./site/templates.ts";
import type { Snapshot } from "./snapshot.ts";
import { watchFiles, type Change, type Watcher } from "./watch/watcher.ts";

export interface WorkspaceOptions {
  /** The application's directory, absolute. */
  readonly root: string;
  /** The shell's environment, for build commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Without it, the build commands of sites do not run. */
  readonly builds?: BuildEvents;
  /** A TypeScript server that was opened for this application; the workspace closes it. */
  readonly checker?: Checker;
  readonly unsaved?: Unsaved;
}

export interface WatchEvents {
  /** Called once for each burst of files that were saved or that a background build command wrote. */
  changed(changes: readonly Change[]): void;
  /** Called with the reason, as a sentence, if some changes will go unnoticed. */
  failed(why: string): void;
}

/** Milliseconds of generation before yielding to the event loop, so that messages to other processes are sent. */
const turn = 10;

export type Contents = Pick<Analysis, "app" | "diagnostics" | "files">;

type GeneratedParts = Omit<Snapshot, "sources">;

interface LastGenerated {
  readonly generated: Generated;
  /** The compiled templates of each site. */
  readonly codes: readonly string[];
  readonly parts: GeneratedParts;
}

/** An application on disk, updated incrementally. Never runs the application's code. */
export class Workspace {
  readonly root: string;
  readonly #options: WorkspaceOptions;
  #analyzer: Analyzer;
  readonly #templates: SiteTemplates;
  readonly #renders: RenderCheck;
  readonly #builds: SiteBuilds | undefined;
  readonly #generate: AppGenerator;
  readonly #absolutePaths: Map<string, string> = new Map();
  #lastGenerated: LastGenerated | undefined;
  #watcher: Watcher | undefined;
  #watching: WatchEvents | undefined;
  #analysis: Analysis | undefined;
  #compiled: ReadonlyMap<SiteDeclaration, CompiledTemplates> = new Map();
  #diagnostics: readonly Diagnostic[] = [];
  /** Warnings and problems of `advice`, reported together with type errors. */
  #advice: readonly Diagnostic[] = [];

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

  /** Reads everything. Without problems other than advice, runs the build commands of sites and waits for them. */
  async read(options?: AnalyzeOptions): Promise<Contents> {
    const analysis = await this.#analyzer.analyze(options);
    if (analysis.diagnostics.every(isAdvice)) await this.#builds?.runAll(analysis.app);
    return this.#setAnalysis(analysis);
  }

  /** Sorts changes by what they affect in the current application. */
  classify(changes: readonly Change[]): SortedChanges {
    const sites = this.#sites().map(({ dir }) => join(this.root, dir));
    return sortChanges(changes, this.root, sites);
  }

  /**
   * True if a change affects the application. A change of the root directory itself may mean that another branch's data
   * applies.
   */
  concerns(changes: readonly Change[]): boolean {
    return changes.some(({ path }) => path === this.root) || concernsApplication(this.classify(changes));
  }

  /**
   * Reads changed files. Affected build commands run in the background; until they end, the previous templates of their
   * sites stay in use.
   */
  async update({ all, modules, project }: SortedChanges): Promise<Contents> {
    const analysis = await (project ? this.#reopen() : this.#analyzer.update(modules));
    this.#builds?.follow(analysis.app, all);
    return this.#setAnalysis(analysis);
  }

  /** Runs the build commands that may read these files, for changes that have no other effect. */
  rebuildSites(changes: readonly Change[]): void {
    if (this.#analysis) this.#builds?.follow(this.#analysis.app, changes);
  }

  /** Returns the absolute paths of the source files. */
  sourcePaths(): readonly string[] {
    return this.#analyzer.sourcePaths().map((path) => join(this.root, path));
  }

  /**
   * Generates the modules of endpoints in batches, unless the application has problems. The caller can send each batch
   * to another process, which works while the next one is generated. The snapshot also contains these modules.
   */
  async generateEndpoints(received: (files: Readonly<Record<string, string>>) => void): Promise<void> {
    if (this.#diagnostics.length > 0) return;
    let files: Record<string, string> = {};
    let since = performance.now();
    for (const [specifier, text] of this.#generate.endpointModules(this.app)) {
      files[specifier] = text;
      if (performance.now() - since < turn) continue;
      received(files);
      files = {};
      await setImmediate();
      since = performance.now();
    }
    received(files);
  }

  /** Returns the application to run; undefined while it has problems. */
  snapshot(): Snapshot | undefined {
    if (this.#analysis === undefined || this.#diagnostics.length > 0) return undefined;
    const { app, texts } = this.#analysis;
    return { ...this.#generatedParts(this.#generate(app)), sources: this.#byAbsolutePath(texts) };
  }

  /** Returns the parts of a snapshot other than sources: the same objects until a module or template changes. */
  #generatedParts(generated: Generated): GeneratedParts {
    const codes = [...this.#compiled.values()].map(({ code }) => code);
    const last = this.#lastGenerated;
    if (last?.generated === generated && isSameList(last.codes, codes)) return last.parts;
    const { entry, files, exposed } = generated;
    const compiled = [...this.#compiled].map(([site, { code }]): [string, string] => [templatesSpecifier(site), code]);
    const parts = {
      entry,
      files: Object.fromEntries([...files, ...compiled]),
      exposed: this.#byAbsolutePath(exposed),
    };
    this.#lastGenerated = { generated, codes, parts };
    return parts;
  }

  /** The application as of the last read. */
  get app(): App {
    return this.#read().app;
  }

  /** Answers questions about the code as of the last read. A change to a project file replaces the analyzer. */
  get analyzer(): Pick<Analyzer, "descriptions" | "symbolAt" | "uses"> {
    return this.#analyzer;
  }

  /** The text of each module as of the last read, by path relative to the root. */
  get sources(): ReadonlyMap<string, string> {
    return this.#analysis?.texts ?? new Map<string, string>();
  }

  /** Returns the compiled templates of a site, and whether its pages may render markdown and show flash messages. */
  templates(site: SiteDeclaration): Omit<CompiledTemplates, "diagnostics"> {
    const { code, markdown, ...shown } = this.#templates.last(site, this.#analysis?.app ?? { packages: [] });
    return { code, ...shown, markdown: markdown || this.#analysis?.mentionsMarkdown === true };
  }

  /**
   * Returns advice, the problems that only TypeScript finds, and mismatches between templates and their data, in source
   * order. Omits consequences of other problems.
   */
  async types(signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    return withoutConsequences(await this.#allTypes(signal), isESModulePackage(this.root));
  }

  async #allTypes(signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    await this.#builds?.idle();
    const data = await this.#templateDataProblems(signal);
    const types = await this.#analyzer.typeDiagnostics(signal);
    return inOrder([...this.#advice, ...data, ...types]);
  }

  /**
   * Returns advice, and the problems that fw needs TypeScript to find: wrong template data, declarations and queries
   * that cannot be read from the source, and lost promises. Omits TypeScript's own errors, which editors show
   * themselves.
   */
  async typeProblems(signal: AbortSignal): Promise<readonly Diagnostic[]> {
    const [data, unread] = [await this.#templateDataProblems(signal), await this.#analyzer.unreadValues(signal)];
    return inOrder([...this.#advice, ...data, ...unread]);
  }

  /** Returns the most recently compiled templates of a site. */
  templateFiles(site: SiteDeclaration): readonly TemplateSource[] {
    return this.#templates.sources(site).filter(({ name }) => isTemplate(name));
  }

  /** Returns the languages of all sites' messages, as of the last read. */
  languages(): readonly string[] {
    const files = this.#sites().flatMap((site) => this.#templates.sources(site));
    return [...new Set(files.flatMap(({ name }) => (isMessageFile(name) ? [languageOf(name)] : [])))];
  }

  /** Returns all problems of the application, from its rules, templates and types. */
  async problems(): Promise<readonly Diagnostic[]> {
    const diagnostics = inOrder([...this.#diagnostics, ...(await this.#allTypes())]);
    return withoutConsequences(diagnostics, isESModulePackage(this.root));
  }

  /** The build commands whose last run failed. */
  get failedBuilds(): readonly FailedBuild[] {
    return this.#builds?.failures ?? [];
  }

  /** Waits for running build commands, and returns the contents with the templates that they wrote. */
  async settled(): Promise<Contents> {
    if (this.#builds?.areRunning) {
      await this.#builds.idle();
      this.#compileTemplates();
    }
    return this.#contents();
  }

  /** Names changed files, each once: relative to the root, or by the site whose build command wrote them. */
  names(changes: readonly Change[]): string[] {
    const nameOf = (change: Change): string => this.#builds?.nameOf(change) ?? relativePath(this.root, change.path);
    return [...new Set(changes.map(nameOf))];
  }

  /** Starts watching files. Changes that a build command makes are reported when it ends. */
  watch(events: WatchEvents): void {
    this.#watching = events;
    this.#watcher = watchFiles(
      this.root,
      (changes) => {
        const own = changes.filter((change) => !this.#builds?.isOwnChange(change));
        if (own.length > 0) events.changed(own);
      },
      (error) => events.failed(describeWatchError(error)),
    );
  }

  close(): void {
    this.#watcher?.close();
    this.#watching = undefined;
    this.#builds?.stop();
    this.#analyzer.close();
  }

  /**
   * Compares templates with their data. Does nothing while a module does not parse, because that module may contain the
   * render call that seems to be missing.
   */
  async #templateDataProblems(signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    const parses = !this.#diagnostics.some(({ code }) => code === "syntax");
    return parses ? this.#renders.check(this.#analyzer, this.#sites(), signal) : [];
  }

  async #reopen(): Promise<Analysis> {
    this.#analyzer.close();
    const { unsaved } = this.#options;
    this.#analyzer = openAnalyzer(this.root, unsaved && { unsaved });
    return this.#analyzer.analyze();
  }

  #setAnalysis(analysis: Analysis): Contents {
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
    this.#advice = diagnostics.filter(isAdvice);
    this.#diagnostics = inOrder([...diagnostics.filter((each) => !isAdvice(each)), ...templates]);
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
    const result: Record<string, T> = {};
    for (const [path, value] of values) result[this.#absolutePath(path)] = value;
    return result;
  }

  /** Memoized, because every save needs the paths of all modules. */
  #absolutePath(path: string): string {
    let absolute = this.#absolutePaths.get(path);
    if (absolute === undefined) this.#absolutePaths.set(path, (absolute = join(this.root, path)));
    return absolute;
  }
}

function describeWatchError(error: Error): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "ENOSPC") {
    return "the system's limit of file watches is reached, so fw will miss some changes; raise fs.inotify.max_user_watches (sysctl)";
  }
  return `fw will miss some changes: ${error.message}`;
}

/** Rules about code that works as written. `fw check` reports them, but a dev server still serves the application. */
const advice: ReadonlySet<string> = new Set(["fw/machine-time"]);

function isAdvice({ code, severity }: Diagnostic): boolean {
  return severity === "warning" || advice.has(code);
}

function inOrder(diagnostics: readonly Diagnostic[]): readonly Diagnostic[] {
  return diagnostics.toSorted((a, b) => inSourceOrder(a.at, b.at));
}
