import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";

/** A value as programs get it, on lines of their own for a person who looks. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

export function printJSON(value: unknown, { out }: Pick<IO, "out">): void {
  out.write(json(value));
}

interface List<Row> {
  /** Set where JSON is asked for; a function answers what of a row goes into it. */
  readonly json: true | ((row: Row) => unknown) | undefined;
  readonly text: (rows: readonly Row[]) => string;
  /** What is said where there are no rows, without its end. */
  readonly none: string;
}

/** Prints a list as JSON, or for a person. */
export function printList<Row>(rows: readonly Row[], { json, text, none }: List<Row>, io: IO): ExitCode {
  if (json !== undefined) printJSON(json === true ? rows : rows.map(json), io);
  else io.out.write(rows.length === 0 ? `${none}\n` : text(rows));
  return 0;
}
