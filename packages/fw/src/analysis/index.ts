import { resolve } from "node:path";
import type { Unsaved } from "../lib/unsaved.ts";
import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { Analyzer } from "./analyzer.ts";
import type { Checker } from "./checker/checker.ts";

export type { Analyzer } from "./analyzer.ts";

/** The result of analyzing the source of an application. */
export interface Analysis {
  /** The part of the application that could be read; all of it if there are no diagnostics. */
  readonly app: App;
  /** In source order: path, then position. */
  readonly diagnostics: readonly Diagnostic[];
  readonly files: number;
  /** False if no code can call a site's `markdown`, because the word appears nowhere. */
  readonly mentionsMarkdown: boolean;
  /** The text of each module, by path relative to the root. */
  readonly texts: ReadonlyMap<string, string>;
}

export interface AnalyzeOptions {
  /** True if the caller will ask for `typeDiagnostics` next, so that TypeScript can start early. */
  readonly types?: boolean;
}

export interface AnalyzerOptions {
  /** A TypeScript server that is already open for this application; the analyzer closes it. */
  readonly checker?: Checker;
  readonly unsaved?: Unsaved;
}

/** Opens the application with its package.json in `root`. Reads nothing yet. */
export function openAnalyzer(root: string, options: AnalyzerOptions = {}): Analyzer {
  return new Analyzer(resolve(root), options);
}
