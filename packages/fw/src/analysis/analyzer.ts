import { isAbsolute } from "node:path";
import { endStage } from "../lib/dev-stage.ts";
import type { Unsaved } from "../lib/unsaved.ts";
import { relativePath, withForwardSlashes } from "../lib/relative-path.ts";
import type { Descriptions } from "../model/descriptions.ts";
import { inSourceOrder, type Diagnostic, type Span } from "../model/diagnostic.ts";
import type { SiteRenders, AccessPathsOf } from "../model/render.ts";
import type { Here } from "../model/here.ts";
import type { EntryUses } from "../model/uses.ts";
import { appName } from "./modules/app-name.ts";
import { Assembler } from "./assemble.ts";
import { type Checker, openChecker } from "./checker/checker.ts";
import { readsIn, type DeclaredModule } from "./declared.ts";
import { symbolAt } from "./here/symbol-at.ts";
import type { Analysis, AnalyzeOptions, AnalyzerOptions } from "./index.ts";
import { otherProjectFiles } from "./modules/other-projects.ts";
import { loadOrder } from "./modules/load-order.ts";
import { descriptionsOf } from "./descriptions.ts";
import { diagnose, declarationProblems, withoutRepeats } from "./diagnose.ts";
import { QueryReader } from "./queries/index.ts";
import { typedQueries } from "./queries/typed-queries.ts";
import type { SourceNode } from "./source/module.ts";
import { isSuspicious } from "./source/nesting.ts";
import { PackageReader } from "./readers/packages.ts";
import { rendersOf } from "./renders/renders.ts";
import { type DeclaredModules, updateDeclarations } from "./incremental/update.ts";
import { type FileChange, openProject } from "./source/project.ts";
import { TenantReader } from "./tenants/index.ts";
import { lostPromises, type UnclearPromise } from "./awaits/lost-promises.ts";
import { typedPromises } from "./awaits/typed-promises.ts";
import { loopReads } from "./loops/loop-reads.ts";
import { TraceReader } from "./tracing/index.ts";
import { UnreadValues } from "./tracing/unread-values.ts";
import { ToolReader } from "./tools.ts";
import { UsesReader } from "./uses/index.ts";

/**
 * Analyzes one application on disk, incrementally: files, declarations, their types, then the rules. Calls run one
 * after another.
 */
export class Analyzer {
  readonly #root: string;
  readonly #checker: Checker;
  readonly #readers: Readers;
  #modules: DeclaredModules = new Map();
  /** Calls of `query` that only their types can prove to be queries, from the last analysis. */
  #unclearQueries: readonly SourceNode[] = [];
  /** Promises that only types can prove to be lost, from the last analysis. */
  #unclearPromises: readonly UnclearPromise[] = [];
  #last: Analysis | undefined;
  /** TypeScript's errors for the last analysis, if `analyze` requested them; undefined after an update. */
  #types: Promise<readonly Diagnostic[]> | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(root: string, options: AnalyzerOptions) {
    this.#root = root;
    this.#readers = openReaders(root, options.unsaved);
    this.#checker = options.checker ?? openChecker(root, options.unsaved && { unsaved: options.unsaved });
  }

  /** Returns the paths of the source files, relative to the root. */
  sourcePaths(): readonly string[] {
    return this.#readers.project.files();
  }

  /** Analyzes the whole application. If TypeScript fails, each declaration that needs types has a diagnostic. */
  analyze(options: AnalyzeOptions = {}): Promise<Analysis> {
    return this.#inTurn(() => {
      this.#checker.start();
      this.#modules = new Map();
      // TypeScript checks the files while fw reads them, and still answers questions about types.
      this.#types = options.types ? this.#checker.diagnostics() : undefined;
      // `typeDiagnostics` awaits the same promise and reports its failure.
      this.#types?.catch(() => undefined);
      return this.#conclude(new Set());
    });
  }

  /** Reanalyzes everything that depends on these files. Unchanged endpoints stay the same objects. */
  update(changes: readonly FileChange[]): Promise<Analysis> {
    return this.#inTurn(() => {
      this.#types = undefined;
      const own = changes.map(({ path, kind }) => ({ path: this.#relativePath(path), kind }));
      this.#checker.update({
        changed: pathsOf(own, "changed"),
        created: pathsOf(own, "created"),
        deleted: pathsOf(own, "deleted"),
      });
      if (own.some(({ path }) => this.#usesChecker(path))) this.#checker.start();
      const reached = this.#readers.project.update(own);
      endStage("read");
      if (reached === "all") this.#modules = new Map();
      return this.#conclude(reached === "all" ? new Set() : reached);
    });
  }

  /**
   * Returns TypeScript's own errors and the problems of `unreadValues`, except those that a syntax error, a missing
   * import or a rule already reports. With a signal, TypeScript checks one file at a time, so that it answers other
   * queries in between; rejects after an abort.
   */
  async typeDiagnostics(signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    await this.#queue;
    const modules = [...this.#modules.values()];
    // The syntax error is enough: TypeScript's parser takes minutes for thousands of open brackets.
    if (modules.some(({ module }) => module.syntaxErrors.length > 0 && isSuspicious(module.text))) return [];
    const types = this.#types ?? this.#checker.diagnostics(undefined, signal);
    // Prevents an unhandled rejection; the promise is awaited below.
    types.catch(() => undefined);
    const reported = this.#last?.diagnostics ?? [];
    const hidden = await this.#hidden(modules, signal);
    const isOther = otherProjectFiles(this.#readers.project, modules);
    const own = (await types).filter(({ at }) => !isOther(at.path));
    return withoutRepeats([...own, ...hidden], reported, declarationProblems(modules)).toSorted((one, other) =>
      inSourceOrder(one.at, other.at),
    );
  }

  /**
   * Lists the calls that render templates, by site, each with the type of its data down to the properties that the
   * templates read. After an abort, the types of the remaining calls are unknown.
   */
  async renders(paths: AccessPathsOf, signal?: AbortSignal): Promise<readonly SiteRenders[]> {
    await this.#queue;
    const before = this.#last;
    const declared = [...this.#modules.values()].flatMap((each) => each.declared);
    const renders = await rendersOf(this.#readers.project, this.#checker, declared, paths, signal);
    await this.#queue;
    // A save may have moved positions while the checker answered.
    return this.#last === before || signal?.aborted ? renders : this.renders(paths, signal);
  }

  /**
   * Returns the resources that each endpoint's and each other handler's code can reach, in package order; empty before
   * the first analysis. Computed on demand; rereads only modules that changes may affect.
   */
  async uses(): Promise<readonly EntryUses[]> {
    await this.#queue;
    return this.#last ? this.#readers.uses.read(this.#last.app, [...this.#modules.values()]) : [];
  }

  /**
   * Returns the doc comments of endpoints, services and named types, computed on demand. Rejects before the first
   * analysis.
   */
  async descriptions(): Promise<Descriptions> {
    await this.#queue;
    if (this.#last === undefined) throw new Error("the application has not been analyzed");
    return descriptionsOf(this.#readers.project, this.#last.app);
  }

  /** Describes the code at a position of the last analyzed source; undefined if fw has no description. */
  async symbolAt(at: Pick<Span, "path" | "line" | "column">): Promise<Here | undefined> {
    await this.#queue;
    return symbolAt(this.#readers.project, this.#modules, at);
  }

  /**
   * Reports what fw finds only with TypeScript's types: declarations and queries that it cannot read from the source,
   * and promises that are lost. `typeDiagnostics` includes these.
   */
  async unreadValues(signal?: AbortSignal): Promise<readonly Diagnostic[]> {
    await this.#queue;
    const modules = [...this.#modules.values()];
    const hidden = await this.#hidden(modules, signal);
    return withoutRepeats(hidden, this.#last?.diagnostics ?? [], declarationProblems(modules));
  }

  async #hidden(modules: readonly DeclaredModule[], signal: AbortSignal | undefined): Promise<readonly Diagnostic[]> {
    const values = await this.#readers.unread.read(this.#checker, modules, signal);
    const queries = await typedQueries(this.#checker, this.#unclearQueries, signal);
    return [...values, ...queries, ...(await typedPromises(this.#checker, this.#unclearPromises, signal))];
  }

  close(): void {
    void this.#checker.close();
  }

  /** Updates the declarations after the meaning of some files changed, assembles the model and runs the rules. */
  async #conclude(changed: ReadonlySet<string>): Promise<Analysis> {
    this.#modules = await updateDeclarations(this.#readers.project, this.#checker, this.#modules, changed);
    return (this.#last = this.#analysisOf([...this.#modules.values()]));
  }

  #analysisOf(modules: readonly DeclaredModule[]): Analysis {
    const name = appName(this.#root);
    const packages = this.#readers.packages.read(
      name,
      modules.map((each) => ({ path: each.module.path, reads: readsIn(each) })),
    );
    const queries = this.#readers.queries.read(modules);
    this.#unclearQueries = queries.unclear;
    const promises = lostPromises(this.#readers.project, modules);
    this.#unclearPromises = promises.unclear;
    const order = loadOrder(this.#readers.project, modules);
    // Copied, so that the getter below does not retain the syntax trees.
    const moduleTexts = modules.map(({ module }) => module.text);
    const app = this.#readers.tools.describe(
      this.#readers.assembler.assemble(name, packages, modules, queries, order),
      modules,
    );
    return {
      app,
      diagnostics: diagnose(this.#readers.project, {
        packages,
        modules,
        queries,
        rawCalls: this.#readers.uses.rawCalls(app, modules),
        machineTimes: this.#readers.uses.machineTimes(app, modules),
        loopReads: loopReads(
          this.#readers.project,
          app,
          modules.map(({ module }) => module),
        ),
        lostPromises: promises.lost,
        unfollowed: this.#readers.uses.unfollowed(app, modules),
        untraced: this.#readers.traces.read(modules, this.#readers.queries.constantReads),
        tenantEscapes: this.#readers.tenants.read(modules, queries),
      }),
      files: this.#readers.project.files().length,
      // A getter, because it searches all texts and few applications need it.
      get mentionsMarkdown() {
        return moduleTexts.some((text) => text.includes("markdown"));
      },
      texts: this.#readers.project.texts(),
    };
  }

  /** True if the checker resolved the types of any declaration in the module. */
  #usesChecker(path: string): boolean {
    return this.#modules.get(path)?.declared.some(({ isChecked }) => isChecked) ?? false;
  }

  #relativePath(path: string): string {
    return isAbsolute(path) ? relativePath(this.#root, path) : withForwardSlashes(path);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(work, work);
    this.#queue = next.catch(() => undefined);
    return next;
  }
}

type Readers = ReturnType<typeof openReaders>;

/** Opens an application's files and creates the readers, which cache their results. */
function openReaders(root: string, unsaved: Unsaved | undefined) {
  const project = openProject(root, unsaved);
  const uses = new UsesReader(project);
  return {
    project,
    uses,
    packages: new PackageReader(),
    assembler: new Assembler(),
    queries: new QueryReader(project),
    tools: new ToolReader(project, uses),
    traces: new TraceReader(project),
    tenants: new TenantReader(project),
    unread: new UnreadValues(project),
  };
}

function pathsOf(changes: readonly FileChange[], kind: FileChange["kind"]): readonly string[] {
  return changes.filter((change) => change.kind === kind).map(({ path }) => path);
}
