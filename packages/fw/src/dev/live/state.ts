/** A problem in the overlay. All fields except `href` are plain text. */
export interface Problem {
  /** For example, `fw/route-conflict`, `ts2322`, `syntax`, `app` or `build`. */
  readonly code: string;
  readonly message: string;
  /** The location as `path:line:col`, if there is one. */
  readonly at?: string;
  /** The URL that opens the location in the editor. */
  readonly href?: string;
  /** The surrounding source, or a stack trace. */
  readonly frame?: string;
  readonly hint?: string;
}

/** The state that the dev server sends to open pages. */
export interface LiveState {
  /** Incremented when a version goes live; pages with a lower number reload. */
  readonly build: number;
  /** Incremented by changes that affect only stylesheets. */
  readonly styles: number;
  /** The reasons why the code on disk is not live. */
  readonly errors: readonly Problem[];
  /** Problems that do not keep the code from running, such as type errors. */
  readonly warnings: readonly Problem[];
}

export const initialState: LiveState = { build: 0, styles: 0, errors: [], warnings: [] };
