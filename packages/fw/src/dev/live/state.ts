/** One problem as the overlay shows it; every field is plain text. */
export interface Problem {
  /** `fw/route-conflict`, `ts2322`, `syntax`, `app`, `build`. */
  readonly code: string;
  readonly message: string;
  /** `path:line:col`, when it has a place. */
  readonly at?: string;
  /** The source around it, or a stack. */
  readonly frame?: string;
  readonly hint?: string;
}

/** What the dev server tells open pages. */
export interface LiveState {
  /** Grows with each application that went live: a page of an older one reloads. */
  readonly build: number;
  /** Grows with each change of a stylesheet alone. */
  readonly styles: number;
  /** Why the code on disk is not what answers. */
  readonly errors: readonly Problem[];
  /** What does not keep the code from answering: type errors. */
  readonly warnings: readonly Problem[];
}

export const initialState: LiveState = { build: 0, styles: 0, errors: [], warnings: [] };
