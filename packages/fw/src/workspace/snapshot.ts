/** An application as something to run: everything that a process needs to evaluate it. */
export interface Snapshot {
  /** Absolute path of the module that exports the bundle. */
  readonly entry: string;
  /** Generated modules by absolute path. */
  readonly files: Readonly<Record<string, string>>;
  /** The application's modules as they were analysed, by absolute path: what is on disk may already be newer. */
  readonly sources: Readonly<Record<string, string>>;
  /** Constants that the generated modules import though the application does not export them, by module. */
  readonly exposed: Readonly<Record<string, readonly string[]>>;
}
