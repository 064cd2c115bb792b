import { join } from "node:path";
import { openAnalyzer, type Analysis, type Analyzer } from "../analysis/index.ts";
import { generator } from "../generate/wiring.ts";
import type { App, SiteDeclaration } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import type { Snapshot } from "./protocol.ts";
import { SiteTemplates, templatesSpecifier } from "./site-templates.ts";
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
  readonly #generate: ReturnType<typeof generator>;

  constructor(root: string) {
    this.#root = root;
    this.#analyzer = openAnalyzer(root);
    this.#templates = new SiteTemplates(root);
    this.#generate = generator({
      module: (path) => join(root, path),
      siteDir: (site) => join(root, site.dir),
      templates: templatesSpecifier,
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

  /** Generates what the last analysis describes. */
  build(analysis: Analysis): Built {
    const { app } = analysis;
    const templates = sitesOf(app).map((site) => ({ site, compiled: this.#templates.compile(site) }));
    const diagnostics = [...analysis.diagnostics, ...templates.flatMap(({ compiled }) => compiled.diagnostics)];
    if (diagnostics.length > 0) return { app, diagnostics, snapshot: undefined };
    const { entry, files, exposed } = this.#generate(app);
    const compiled = templates.map(({ site, compiled }): [string, string] => [templatesSpecifier(site), compiled.code]);
    const absolute = [...exposed].map(([path, names]): [string, readonly string[]] => [join(this.#root, path), names]);
    const snapshot = {
      entry,
      files: Object.fromEntries([...files, ...compiled]),
      exposed: Object.fromEntries(absolute),
    };
    return { app, diagnostics, snapshot };
  }

  /** TypeScript's own errors. */
  typeDiagnostics(): Promise<readonly Diagnostic[]> {
    return this.#analyzer.typeDiagnostics();
  }

  close(): void {
    this.#analyzer.close();
  }
}

export function sitesOf(app: App): SiteDeclaration[] {
  return app.packages.flatMap(({ site }) => site ?? []);
}
