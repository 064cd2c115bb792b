/** The report of a process that loads a bundle, sent over IPC. */
export type LoadReport = { readonly kind: "loaded" } | LoadFailure | LoadExit;

export interface LoadFailure {
  readonly kind: "failed";
  /** The class of the error, such as `ReferenceError`. */
  readonly name: string;
  readonly message: string;
  /** The stack, with source positions if the bundle has a source map. */
  readonly stack: string;
  /** Node's error code, such as `ERR_MODULE_NOT_FOUND`. */
  readonly code: string;
  readonly unset: UnsetVariables;
}

/** Code called `process.exit` while it loaded. */
interface LoadExit {
  readonly kind: "exited";
  readonly exitCode: number;
  readonly unset: UnsetVariables;
}

/** Environment variables that the code read but that are not set. */
type UnsetVariables = readonly string[];
