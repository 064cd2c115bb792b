const units = { Gi: 1024, Mi: 1 } as const;

/**
 * Parses a literal such as `"512Mi"` or `"1.5Gi"` into mebibytes. Returns undefined if the text is not such a literal
 * or not a whole number of mebibytes.
 */
export function parseMemory(text: string): number | undefined {
  const [, count = "", unit = "Mi"] = /^(\d{1,6}(?:\.\d{1,3})?)(Mi|Gi)$/.exec(text) ?? [];
  const mebibytes = Number(count) * units[unit as keyof typeof units];
  return count !== "" && Number.isInteger(mebibytes) ? mebibytes : undefined;
}

/** Returns the literal for a whole number of mebibytes in the largest unit that needs no decimals: `"2Gi"` for 2048. */
export function formatMemory(mebibytes: number): string {
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}
