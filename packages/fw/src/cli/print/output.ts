import type { ExitCode } from "../command.ts";
import type { IO } from "../io.ts";

export function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

export function printJSON(value: unknown, { out }: Pick<IO, "out">): void {
  out.write(json(value));
}

interface List<Row> {
  /** Set if the user asked for JSON. A function converts each row. */
  readonly json: true | ((row: Row) => unknown) | undefined;
  readonly text: (rows: readonly Row[]) => string;
  /** The text for an empty list, without a line feed. */
  readonly none: string;
}

export function printList<Row>(rows: readonly Row[], { json, text, none }: List<Row>, io: IO): ExitCode {
  if (json !== undefined) printJSON(json === true ? rows : rows.map(json), io);
  else io.out.write(rows.length === 0 ? `${none}\n` : text(rows));
  return 0;
}
