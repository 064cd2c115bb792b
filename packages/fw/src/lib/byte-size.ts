const units = { GB: 1024 ** 3, MB: 1024 ** 2, KB: 1024, B: 1 } as const;

/**
 * Parses a literal such as `"10MB"` or `"1.5KB"` into bytes, with units of 1,024. Returns undefined if the text is not
 * a size or not a whole number of bytes.
 */
export function parseByteSize(text: string): number | undefined {
  const [, count = "", unit = "B"] = /^(\d{1,9}(?:\.\d{1,3})?)(B|KB|MB|GB)$/.exec(text) ?? [];
  const bytes = Number(count) * units[unit as keyof typeof units];
  return count !== "" && Number.isInteger(bytes) ? bytes : undefined;
}

/**
 * Returns the literal for a whole number of bytes in the largest unit that needs no decimals: `"10MB"` for 10485760.
 */
export function formatByteSize(bytes: number): string {
  for (const [unit, size] of Object.entries(units))
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`;
  return `${bytes}B`;
}
