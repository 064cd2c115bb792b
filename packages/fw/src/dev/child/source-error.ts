/** Thrown for a module that cannot be loaded, with the location and the reason. Lines and columns start at 1. */
export class SourceError extends Error {
  readonly path: string;
  readonly line: number;
  readonly column: number;

  constructor(message: string, path: string, line: number, column: number) {
    super(message);
    this.name = "SourceError";
    this.path = path;
    this.line = line;
    this.column = column;
  }
}
