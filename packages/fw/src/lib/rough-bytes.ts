/** Estimates the memory used by a plain value, so that caches can limit their size. */
export function roughBytes(value: unknown): number {
  if (typeof value === "string") return 16 + 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  let bytes = 16;
  for (const [name, member] of Object.entries(value)) bytes += 8 + name.length + roughBytes(member);
  return bytes;
}
