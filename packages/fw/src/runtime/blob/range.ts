/** Bytes `start` up to and without `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** What a Range header asks of `size` bytes. Undefined where it is to be ignored: malformed, another unit, or several ranges. */
export function parseRange(header: string, size: number): ByteRange | "unsatisfiable" | undefined {
  const [, first = "", last = ""] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header.trim()) ?? [];
  if (size === 0 || (first === "" && last === "")) return undefined;
  if (first === "") return suffix(Number(last), size);
  const start = Number(first);
  const end = last === "" ? size : Math.min(Number(last) + 1, size);
  if (last !== "" && Number(last) < start) return undefined;
  return start < size ? { start, end } : "unsatisfiable";
}

function suffix(length: number, size: number): ByteRange | "unsatisfiable" {
  return length === 0 ? "unsatisfiable" : { start: Math.max(0, size - length), end: size };
}
