/** Everything that a process needs to evaluate an application. */
export interface Snapshot {
  /** Absolute path of the module that exports the bundle. */
  readonly entry: string;
  /** Generated modules by absolute path. */
  readonly files: Readonly<Record<string, string>>;
  /** The analyzed text of the application's modules, by absolute path. Files on disk may be newer. */
  readonly sources: Readonly<Record<string, string>>;
  /** Constants that generated modules import, by module, although the application does not export them. */
  readonly exposed: Readonly<Record<string, readonly string[]>>;
}

/** The snapshot of a process without an application. */
export const emptySnapshot: Snapshot = { entry: "", files: {}, sources: {}, exposed: {} };
