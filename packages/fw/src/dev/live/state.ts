/** A problem in the overlay; every field is plain text, except `href`. */
export interface Problem {
  /** `fw/route-conflict`, `ts2322`, `syntax`, `app`, `build`. */
  readonly code: string;
  readonly message: string;
  /** `path:line:col`, if it has a location. */
  readonly at?: string;
  /** The address that opens the location in the editor. */
  readonly href?: string;
  /** The source around it, or a stack. */
  readonly frame?: string;
  readonly hint?: string;
}

/** The state that the dev server sends to open pages. */
export interface LiveState {
  /** Grows with each version that went live: older pages reload. */
  readonly build: number;
  /** Grows with each change that only concerns stylesheets. */
  readonly styles: number;
  /** The reasons why the code on disk is not live. */
  readonly errors: readonly Problem[];
  /** Problems that do not prevent the code from running: type errors. */
  readonly warnings: readonly Problem[];
}

export const initialState: LiveState = { build: 0, styles: 0, errors: [], warnings: [] };
