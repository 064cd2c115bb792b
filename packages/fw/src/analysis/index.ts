import { resolve } from "node:path";
import type { Unsaved } from "../lib/unsaved.ts";
import type { App } from "../model/app.ts";
import type { Diagnostic } from "../model/diagnostic.ts";
import { Analyzer } from "./analyzer.ts";
import type { Checker } from "./checker/checker.ts";

export type { Analyzer } from "./analyzer.ts";

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
  return new Analyzer(resolve(root), options);
}
