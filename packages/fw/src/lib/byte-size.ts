const units = { GB: 1024 ** 3, MB: 1024 ** 2, KB: 1024, B: 1 } as const;

/**
 * Bytes of a literal such as `"10MB"` or `"1.5KB"`, of units of 1,024; `undefined` when the text is none, or no whole
 * number of them.
 */
export function parseByteSize(text: string): number | undefined {
  const [, count = "", unit = "B"] = /^(\d{1,9}(?:\.\d{1,3})?)(B|KB|MB|GB)$/.exec(text) ?? [];
  const bytes = Number(count) * units[unit as keyof typeof units];
  return count !== "" && Number.isInteger(bytes) ? bytes : undefined;
}

/** The shortest literal of a whole number of bytes: 10485760 gives `"10MB"`. */
export function formatByteSize(bytes: number): string {
  for (const [unit, size] of Object.entries(units))
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`;
  return `${bytes}B`;
}
