/**
 * Compares plain data deeply: objects by their keys, lists in order. Skips `ignored` keys, and keys whose value is
 * undefined.
 */
export function isSameData(one: unknown, other: unknown, ignored?: string): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false;
    return one.every((each, index) => isSameData(each, other[index], ignored));
  }
  return !Array.isArray(other) && isSameRecord(one as Data, other as Data, ignored);
}

type Data = Readonly<Record<string, unknown>>;

function isSameRecord(one: Data, other: Data, ignored: string | undefined): boolean {
  let keys = 0;
  for (const key in one) {
    if (key === ignored || one[key] === undefined) continue;
    keys += 1;
    if (!isSameData(one[key], other[key], ignored)) return false;
  }
  for (const key in other) if (key !== ignored && other[key] !== undefined) keys -= 1;
  return keys === 0;
}
