import { resolve } from "node:path";
import type { Unsaved } from "../lib/unsaved.ts";
import type { App } from "../model/app.ts";
import type { Descriptions } from "../model/descriptions.ts";
import type { Diagnostic, Span } from "../model/diagnostic.ts";
import type { SiteRenders, AccessPathsOf } from "../model/render.ts";
import type { Here } from "../model/here.ts";
import type { EntryUses } from "../model/uses.ts";
import { FileAnalyzer } from "./analyzer.ts";
import type { Checker } from "./checker/checker.ts";
import type { FileChange } from "./source/project.ts";

export type { FileChange } from "./source/project.ts";

/** What the source of an application says. */
export interface Analysis {
  /** As much of the application as could be read; all of it when there are no diagnostics. */
  readonly app: App;
  /** In source order: path, then position. */
  readonly diagnostics: readonly Diagnostic[];
  /** Source files looked at. */
  readonly files: number;
  /** False when no code can call a site's `markdown`, because none has the word in it. */
  readonly mentionsMarkdown: boolean;
  /** What was analysed: the text of each module that was read, by path relative to the root. */
  readonly texts: ReadonlyMap<string, string>;
}

/** Reads one application from disk, and again what changes of it. Calls wait for one another. */
export interface Analyzer {
  /** Reads everything. Rejects only after `close`. */
  analyze(options?: AnalyzeOptions): Promise<Analysis>;
  /** Reads again what depends on these files. Endpoints that come out the same stay the same objects. */
  update(changes: readonly FileChange[]): Promise<Analysis>;
  /**
   * TypeScript's own errors, without those that a syntax error or a rule has already reported. Nothing waits for it: with
   * a signal it also leaves half of the machine to what is asked meanwhile, until it is aborted.
   */
  typeDiagnostics(signal?: AbortSignal): Promise<readonly Diagnostic[]>;
  /**
   * Where and with what the templates of sites are rendered; the types of data only as deep as they are wanted. Nothing
   * waits for it: once the signal is aborted what is still to be asked is unknown.
   */
  renders(paths: AccessPathsOf, signal?: AbortSignal): Promise<readonly SiteRenders[]>;
  /**
   * What the code of each endpoint, consumer, cron, singleton and status page can reach, by package. Worked out when it is
   * asked for, and again only where files changed.
   */
  uses(): Promise<readonly EntryUses[]>;
  /** What doc comments say of endpoints and named types. Worked out when it is asked for. */
  descriptions(): Promise<Descriptions>;
  /** What a place of a module is about, as it was read last. */
  here(at: Pick<Span, "path" | "line" | "column">): Promise<Here | undefined>;
  /** Declarations that the source does not show and TypeScript knows; part of `typeDiagnostics`. */
  unreadValues(signal?: AbortSignal): Promise<readonly Diagnostic[]>;
  close(): void;
}

export interface AnalyzeOptions {
  /** True for a caller who asks for `typeDiagnostics` next: TypeScript works them out meanwhile. */
  readonly types?: boolean;
}

export interface AnalyzerOptions {
  /** A server of TypeScript that was opened for this application; the analyzer closes it. */
  readonly checker?: Checker;
  /** What an editor has not saved. */
  readonly unsaved?: Unsaved;
}

/** Opens the application whose package.json is in `root`. Reads nothing yet. */
export function openAnalyzer(root: string, options: AnalyzerOptions = {}): Analyzer {
  return new FileAnalyzer(resolve(root), options);
}
