/** An application ready to run: everything that a process needs to evaluate it. */
export interface Snapshot {
  /** Absolute path of the module that exports the bundle. */
  readonly entry: string;
  /** Generated modules by absolute path. */
  readonly files: Readonly<Record<string, string>>;
  /** The analyzed text of the application's modules, by absolute path. Files on disk may be newer. */
  readonly sources: Readonly<Record<string, string>>;
  /** Constants that generated modules import although the application does not export them, by module. */
  readonly exposed: Readonly<Record<string, readonly string[]>>;
}
