/** About how much memory a plain value takes, so that what keeps many of them can bound them all. */
export function roughBytes(value: unknown): number {
  if (typeof value === "string") return 16 + 2 * value.length;
  if (typeof value !== "object" || value === null) return 8;
  let bytes = 16;
  for (const [name, member] of Object.entries(value)) bytes += 8 + name.length + roughBytes(member);
  return bytes;
}
