/** The report of a process that loads a bundle, sent over its IPC channel. */
export type LoadReport = { readonly kind: "loaded" } | LoadFailure | LoadExit;

export interface LoadFailure {
  readonly kind: "failed";
  /** The class of the error: `ReferenceError`. */
  readonly name: string;
  readonly message: string;
  /** With source positions where the bundle's source map has them. */
  readonly stack: string;
  /** Node's code of the error: `ERR_MODULE_NOT_FOUND`. */
  readonly code: string;
  readonly unset: UnsetVariables;
}

/** Code called `process.exit` while it loaded. */
interface LoadExit {
  readonly kind: "exited";
  readonly exitCode: number;
  readonly unset: UnsetVariables;
}

/** Environment variables that code has read and that are not set. */
type UnsetVariables = readonly string[];
