/** A stretch of one source file. Lines and columns count from 1, columns in UTF-16 units; `end*` is exclusive. */
export interface Span {
  /** Path relative to the application's root, with forward slashes. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Sorts by path, then line, then column. */
export function inSourceOrder(a: Span, b: Span): number {
  return (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || a.line - b.line || a.column - b.column;
}

/** One finding of the analysis. Checks produce these; only the printers in `cli/print` turn them into text. */
export interface Diagnostic {
  /** `fw/<rule-id>` for a rule, `syntax` for source that does not parse, `import` for an import that leads nowhere or around in a circle, `package` for two directories that would be one service, `template` for a template that does not compile or does not fit its data, `client` for what no client can be made of, `ts<number>` for a TypeScript error, `typescript` where TypeScript could not be asked, `defect` where fw itself failed. */
  readonly code: string;
  readonly at: Span;
  /** What is wrong, one sentence, no full stop at the end. */
  readonly message: string;
  /** What to write instead, when there is one thing to say. */
  readonly hint?: string;
  /** Other places that explain the finding, such as the first of two conflicting declarations. */
  readonly related?: readonly { readonly at: Span; readonly message: string }[];
  /** What to write so that it is gone, where that is plain. */
  readonly fix?: Fix;
}

/** Changes of source text that belong together. */
export interface Fix {
  /** What it does, as an editor offers it. */
  readonly title: string;
  readonly edits: readonly Edit[];
}

/** A text in the place of a stretch, which is empty where the text is inserted. */
export interface Edit {
  readonly at: Span;
  readonly text: string;
}
