const units = { Gi: 1024, Mi: 1 } as const;

/**
 * Mebibytes of a literal such as `"512Mi"` or `"1.5Gi"`; `undefined` when the text is none, or no whole number of them.
 */
export function parseMemory(text: string): number | undefined {
  const [, count = "", unit = "Mi"] = /^(\d{1,6}(?:\.\d{1,3})?)(Mi|Gi)$/.exec(text) ?? [];
  const mebibytes = Number(count) * units[unit as keyof typeof units];
  return count !== "" && Number.isInteger(mebibytes) ? mebibytes : undefined;
}

/** The shortest literal of a whole number of mebibytes: 2048 gives `"2Gi"`. */
export function formatMemory(mebibytes: number): string {
  return mebibytes % 1024 === 0 ? `${mebibytes / 1024}Gi` : `${mebibytes}Mi`;
}
