/** Formats rows as lines with aligned columns. Columns whose index is in `right` are right-aligned. */
export function columns(
  rows: readonly (readonly string[])[],
  { right = [], widthOf = lengthOf }: { readonly right?: readonly number[]; readonly widthOf?: typeof lengthOf } = {},
): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  const padded = (cell: string, column: number): string => {
    const space = " ".repeat((widths[column] ?? 0) - widthOf(cell));
    return right.includes(column) ? space + cell : cell + space;
  };
  return rows.map((row) => row.map(padded).join("  ").trimEnd());
}

function lengthOf(text: string): number {
  return text.length;
}
