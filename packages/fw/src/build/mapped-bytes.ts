/** The parts of a source map that attribute code to its sources. */
interface Mapped {
  readonly sources: readonly string[];
  readonly mappings: string;
}

const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * Counts the bytes of code that come from each source, according to a source map. Code before the first mapping of a
 * line belongs to the source of the previous mapping.
 */
export function mappedBytes(code: string, { sources, mappings }: Mapped): ReadonlyMap<string, number> {
  const bytes = new Map<string, number>();
  const lines = code.split(/(?<=\n)/);
  let index = 0;
  let source: string | undefined;
  for (const [number, segments] of mappings.split(";").entries()) {
    const line = lines[number] ?? "";
    let [column, start] = [0, 0];
    const add = (end: number): void => {
      if (source !== undefined) bytes.set(source, (bytes.get(source) ?? 0) + Buffer.byteLength(line.slice(start, end)));
      start = end;
    };
    for (const segment of segments === "" ? [] : segments.split(",")) {
      const [columns = 0, moved] = readNumbers(segment);
      column += columns;
      add(column);
      if (moved !== undefined) source = sources[(index += moved)];
    }
    add(line.length);
  }
  return bytes;
}

/**
 * Decodes a segment's numbers from base64 VLQ: five bits per digit, least significant first. The lowest bit of a number
 * is its sign.
 */
function readNumbers(segment: string): readonly number[] {
  const numbers: number[] = [];
  let [value, shift] = [0, 0];
  for (const character of segment) {
    const digit = digits.indexOf(character);
    value += (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >> 1) : value >> 1);
    [value, shift] = [0, 0];
  }
  return numbers;
}
