/** A range in one source file. Lines and columns count from 1, columns in UTF-16 units; `end*` is exclusive. */
export interface Span {
  /** Path relative to the application's root, with forward slashes. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** Returns `path:line`, for messages that omit the column. */
export function lineOf({ path, line }: Pick<Span, "path" | "line">): string {
  return `${path}:${line}`;
}

/** Compares positions by path, then line, then column. */
export function inSourceOrder(a: Span, b: Span): number {
  return (a.path < b.path ? -1 : a.path > b.path ? 1 : 0) || a.line - b.line || a.column - b.column;
}

/** One problem found by the analysis. It is data: commands, the language server and the dev server each present it. */
export interface Diagnostic {
  /**
   * `fw/<rule-id>` for a rule; `syntax` for a syntax error; `import` for an import that cannot be resolved or is
   * circular; `package` for two directories that would form the same service; `template` for a template that does not
   * compile or does not match its data; `client` for a type that the client cannot express; `ts<number>` for a
   * TypeScript error; `typescript` if TypeScript could not run; `defect` if fw itself failed.
   */
  readonly code: string;
  readonly at: Span;
  /** `warning` for code that works as written, which fails only `fw check --strict`. Absent for errors. */
  readonly severity?: "warning";
  /** The problem in one sentence, without a full stop. */
  readonly message: string;
  /** A suggestion of how to solve the problem; it may name alternatives. */
  readonly hint?: string;
  /** Other locations that explain the problem, such as the first of two conflicting declarations. */
  readonly related?: readonly { readonly at: Span; readonly message: string }[];
  /** An automatic fix, if there is an obvious one. */
  readonly fix?: Fix;
}

/** True for a problem that stops a build. */
export function isError({ severity }: Diagnostic): boolean {
  return severity === undefined;
}

/** TypeScript errors that have an automatic fix if a marked type, such as `string & MaxLength<9>`, causes them. */
export const fixableTypeErrors = {
  /** "Function lacks ending return statement". */
  missingReturn: 2366,
  /** "Not all code paths return a value". */
  missingPath: 7030,
  /** "Expression of type … can't be used to index type …". */
  unknownKey: 7053,
} as const;

/** Edits of source text that belong together. */
export interface Fix {
  /** The description of the fix in an editor. */
  readonly title: string;
  readonly edits: readonly Edit[];
}

/** Text that replaces a range, or is inserted at an empty range. */
export interface Edit {
  readonly at: Span;
  readonly text: string;
}
